import PageModel
import Testing

@testable import History

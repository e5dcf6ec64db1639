import Fetching
import PageModel
import Titles
import WebAddress

extension LoadError {
    /// A hop's failure as the load's; the words are the same.
    init(_ error: TransferError) {
        self.init(phase: Phase(error.phase), code: error.code.rawValue, message: error.message)
    }

    /// An address that leads nowhere, met in that phase.
    package init(phase: Phase, _ error: WebAddressError) {
        self.init(phase: phase, code: error.code.rawValue, message: error.message)
    }
}

extension LoadError.Phase {
    init(_ phase: TransferError.Phase) {
        self =
            switch phase {
            case .request: .request
            case .resolve: .resolve
            case .connect: .connect
            case .tls: .tls
            case .firstByte: .firstByte
            case .body: .body
            }
    }
}

extension PageModel.EncodingSource {
    init(_ source: Titles.EncodingSource) {
        self =
            switch source {
            case .bom: .bom
            case .http: .http
            case .meta: .meta
            case .xml: .xml
            case .default: .default
            case .override: .override
            }
    }
}

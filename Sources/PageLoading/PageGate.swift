import Fetching
import PageModel

/// Which answers a web view would not show as a page, whatever their body.
enum PageGate {
    /// The `content` failure that the head alone decides; nil if the answer may be a page.
    static func refusal(of head: ResponseHead) -> LoadError? {
        switch head.status {
        case 204, 205:
            failed(.noContent, "the answer is \(head.status), which has no page to show")
        case 304:
            failed(.notModified, "the answer is 304, though nothing was asked that it could be")
        default:
            isAttachment(head)
                ? failed(.download, "the answer is a download (Content-Disposition: attachment)")
                : nil
        }
    }

    private static func failed(_ failure: LoadFailure, _ message: String) -> LoadError {
        LoadError(phase: .content, failure, message: message)
    }

    /// RFC 6266: any disposition type but `inline` is handled as an attachment, as browsers do.
    private static func isAttachment(_ head: ResponseHead) -> Bool {
        guard let value = head.contentDisposition else { return false }
        let type = value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        // A value that begins with a parameter names no type, and browsers show the page.
        return !type.isEmpty && type != "inline" && !type.contains("=")
    }
}

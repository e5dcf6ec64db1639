import Titles

/// All that a page reader tells, for comparison.
struct Reading: Equatable, CustomStringConvertible {
    var title: [UInt8]?
    var titleBytes: [UInt8]?
    var isTitleKnown: Bool
    var refresh: Refresh?
    var hasBodyBegun: Bool
    var isSettled: Bool
    var encodingName: String?
    var encodingSource: EncodingSource?
    var kind: PageReader.Kind?
    /// How many bytes were needed; not compared, for it depends on the cuts.
    var bytesUntilSettled: Int

    static func == (a: Reading, b: Reading) -> Bool {
        a.title == b.title && a.titleBytes == b.titleBytes
            && a.isTitleKnown == b.isTitleKnown
            && a.refresh == b.refresh && a.hasBodyBegun == b.hasBodyBegun
            && a.isSettled == b.isSettled
            && a.encodingName == b.encodingName && a.encodingSource == b.encodingSource
            && a.kind == b.kind
    }

    var titleString: String? { title.map { String(decoding: $0, as: UTF8.self) } }

    var description: String {
        "title \(titleString ?? "(none)") (\(isTitleKnown ? "known" : "not known"), "
            + "bytes \(String(describing: titleBytes))), refresh \(String(describing: refresh)), "
            + "\(String(describing: kind)), body \(hasBodyBegun), settled \(isSettled), encoding \(encodingName ?? "?") from \(String(describing: encodingSource)), "
            + "settled after \(bytesUntilSettled)"
    }

    /// Reads a body in pieces of `chunk` bytes, as long as it is not settled, to its end.
    init(_ body: [UInt8], type: String?, chunk: Int = .max, options: PageReader.Options = .init()) {
        let reader = PageReader(contentType: type, options: options)
        var at = 0
        body.withUnsafeBytes { bytes in
            while at < bytes.count, !reader.isSettled {
                let end = at + min(chunk, bytes.count - at)
                // A copy of the very length: a read beyond the piece is found by a sanitizer.
                Array(bytes[at..<end]).withUnsafeBytes { reader.read($0) }
                at = end
            }
        }
        reader.finish()
        self.init(reader)
        bytesUntilSettled = at
    }

    /// What the reader tells by now.
    init(_ reader: PageReader) {
        bytesUntilSettled = 0
        titleBytes = reader.titleBytes
        title = reader.title.map { Array($0.utf8) }
        isTitleKnown = reader.isTitleKnown
        refresh = reader.refresh
        hasBodyBegun = reader.hasBodyBegun
        isSettled = reader.isSettled
        encodingName = reader.encodingName
        encodingSource = reader.encodingSource
        kind = reader.kind
    }

    init(_ page: String, type: String? = "text/html; charset=utf-8", chunk: Int = .max) {
        self.init(Array(page.utf8), type: type, chunk: chunk)
    }
}

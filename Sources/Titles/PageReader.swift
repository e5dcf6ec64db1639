/// Reads a page's body as it arrives: its title, and what else a load must know.
///
/// Input: the bytes of a body, content coding undone, from `PageLoading`. What is found is read from
/// the properties after each call. The answer does not depend on how the bytes are cut. The way of
/// the bytes: ``PageType``, ``EncodingSniffer``, ``Decoder``, then ``HTMLTokenizer`` or ``XMLReader``.
package final class PageReader {
    /// What the caller knows beyond the content type.
    package struct Options: Sendable {
        /// Beats all that the page and its server say about the encoding, but a byte order mark.
        package var encoding: Encoding?
        /// Whether a body without a usable type may be taken for a page by its first bytes
        /// (false under `X-Content-Type-Options: nosniff`).
        package var maySniff: Bool
        /// Whether ``PageReader/titleBytes`` is wanted.
        package var keepsTitleBytes: Bool

        package init(
            encoding: Encoding? = nil, maySniff: Bool = true, keepsTitleBytes: Bool = false
        ) {
            self.encoding = encoding
            self.maySniff = maySniff
            self.keepsTitleBytes = keepsTitleBytes
        }
    }

    /// What a body is read as.
    package enum Kind: Sendable { case html, xml, notPage }

    /// What is decoded at a time: the title mostly ends in the first slice of many.
    private static let slice = 2048

    /// Nothing that comes can change anything below: stop feeding.
    package private(set) var isSettled = false
    /// The whole normalised title, at most 1 MiB of UTF-8; nil without a title element, and as long
    /// as it is not known.
    package private(set) var title: String?
    /// The title's end tag, or the end of the page, was seen. Until `isSettled`, a frameset can still
    /// take the title back, and a title that is moved out of a table can take its place.
    package private(set) var isTitleKnown = false
    /// The bytes of an HTML page's title before decoding; nil if they are not wanted or not known.
    package var titleBytes: [UInt8]? {
        guard options.keepsTitleBytes, isTitleKnown else { return nil }
        return title == nil ? nil : rawTitle.bytes
    }
    /// The encoding's name; nil while undecided, or when the body is no page.
    package var encodingName: String? { decision?.encoding.name }
    /// Where the encoding was found; nil while undecided, or when the body is no page.
    package var encodingSource: EncodingSource? { decision?.source }
    /// Body content has begun; for what is no page, true with the first byte.
    package private(set) var hasBodyBegun = false
    /// The first refresh that counts.
    package private(set) var refresh: Refresh?
    /// What the body is read as; nil while its first bytes must decide.
    package private(set) var kind: Kind?

    private let contentType: String?
    private let options: Options
    /// Bytes that wait for a decision about the type or the encoding: at most
    /// ``EncodingSniffer/longestWait``, and one piece.
    private var undecided: [UInt8] = []
    private var sniffer: EncodingSniffer?
    private var decision: EncodingDecision?
    private var decoder = Decoder(.utf8)
    private var html = HTMLTokenizer()
    private var titleVersion = 0
    private var rawTitle = RawTitle()
    private var xml: XMLReader?

    /// - Parameters:
    ///   - contentType: The header's value; nil when there is none.
    ///   - options: What the caller knows beyond it.
    package init(contentType: String?, options: Options = Options()) {
        self.contentType = contentType
        self.options = options
        if case .known(let kind) = PageType(contentType: contentType, maySniff: options.maySniff) {
            begin(kind)
        }
    }

    /// Takes the next bytes; they are valid only during the call.
    package func read(_ bytes: UnsafeRawBufferPointer) {
        guard !isSettled, !bytes.isEmpty else { return }
        if kind == nil {
            undecided.append(contentsOf: bytes)
            decideKind(isLast: false)
        } else if kind == .notPage {
            settle()
        } else if decision != nil {
            decode(bytes)
        } else if undecided.isEmpty, decideEncoding(bytes, isLast: false) {
            decode(withoutMark(bytes))
        } else {
            let isDecided = !undecided.isEmpty && decideEncoding(bytes, isLast: false)
            undecided.append(contentsOf: bytes)
            if isDecided { decodeUndecided() }
        }
    }

    /// Takes the end of the body.
    package func finish() {
        guard !isSettled else { return }
        if kind == nil { decideKind(isLast: true) }
        if kind != .notPage, decision == nil {
            _ = decideEncoding(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
            decodeUndecided()
        }
        if kind != .notPage, !isSettled { finishReader() }
        if !isSettled { settle() }
    }

    // MARK: Type and encoding

    private func begin(_ kind: Kind) {
        self.kind = kind
        guard kind != .notPage else { return }
        sniffer = EncodingSniffer(
            httpCharset: contentType.flatMap(EncodingSniffer.httpCharset(fromContentType:)),
            override: options.encoding, isXML: kind == .xml)
        if kind == .xml { xml = XMLReader() }
    }

    private func decideKind(isLast: Bool) {
        guard let kind = PageSignature.kind(of: undecided, isLast: isLast) else { return }
        begin(kind)
        let bytes = undecided
        undecided = []
        if !bytes.isEmpty { bytes.withUnsafeBytes { read($0) } }
    }

    /// - Returns: Whether there is a decision.
    private func decideEncoding(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        var at = 0
        repeat {
            let end = min(at + Self.slice, bytes.count)
            let slice = UnsafeRawBufferPointer(rebasing: bytes[at..<end])
            decision = sniffer?.consider(slice, isLast: isLast && end == bytes.count)
            at = end
        } while decision == nil && at < bytes.count
        guard let decision else { return false }
        sniffer = nil
        decoder = Decoder(decision.encoding)
        return true
    }

    private func decodeUndecided() {
        let bytes = undecided
        undecided = []
        bytes.withUnsafeBytes { decode(withoutMark($0)) }
    }

    private func withoutMark(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.dropFirst(decision?.bomLength ?? 0))
    }

    // MARK: Reading

    private func decode(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at < bytes.count, !isSettled {
            let end = min(at + Self.slice, bytes.count)
            let slice = UnsafeRawBufferPointer(rebasing: bytes[at..<end])
            if let xml {
                decode(slice, for: xml)
            } else {
                if options.keepsTitleBytes {
                    decodeKeepingTitle(slice)
                } else {
                    decoder.decode(slice) { html.read($0) }
                }
                if html.isSettled { takeOver() }
            }
            at = end
        }
        if !isSettled { takeOver() }
    }

    private func decodeKeepingTitle(_ slice: UnsafeRawBufferPointer) {
        let before = decoder.decoder
        let wasReading = html.rules.titles.isReading
        let wasRead = html.bytesRead
        decoder.decode(slice) { html.read($0) }
        let titles = html.rules.titles
        if titles.version != rawTitle.version {
            rawTitle.begin(
                titles.version, in: slice, behind: html.titleStart - wasRead, decodedBy: before)
        } else if wasReading {
            rawTitle.append(slice)
        }
        rawTitle.decodedLength = html.titleEnd.map { $0 - html.titleStart }
    }

    /// UTF-8 goes to libxml2 as it is, for there malformed bytes are an error.
    private func decode(_ bytes: UnsafeRawBufferPointer, for xml: XMLReader) {
        if decision?.encoding == .utf8 {
            xml.read(bytes)
        } else {
            decoder.decode(bytes) { xml.read($0) }
        }
        if xml.isSettled { takeOver() }
    }

    private func finishReader() {
        if let xml {
            if decision?.encoding != .utf8 { decoder.finish { xml.read($0) } }
            xml.finish()
        } else {
            decoder.finish { html.read($0) }
            html.finish()
        }
        takeOver()
    }

    /// Shows what the reader below found by now.
    private func takeOver() {
        if let xml {
            if xml.isSettled || xml.isTitleKnown && !isTitleKnown { title = xml.title }
            isTitleKnown = xml.isTitleKnown
            refresh = xml.refresh
            hasBodyBegun = xml.hasBodyBegun
            if xml.isSettled { settle() }
            return
        }
        let titles = html.rules.titles
        if titles.version != titleVersion || titles.isKnown != isTitleKnown {
            titleVersion = titles.version
            isTitleKnown = titles.isKnown
            title = titles.title
        }
        refresh = html.rules.refresh
        hasBodyBegun = html.rules.hasBodyBegun
        if html.isSettled { settle() }
    }

    private func settle() {
        isSettled = true
        isTitleKnown = true
        hasBodyBegun = true
        sniffer = nil
        xml = nil
        html = HTMLTokenizer()
    }
}

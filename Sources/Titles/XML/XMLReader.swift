import CXML2
import Glibc

/// Finds the title of an XML document: XHTML, SVG, or anything that holds an XHTML title.
///
/// Input: the document as UTF-8 from ``PageReader``; libxml2's push parser calls back into this
/// object, which therefore owns the parser and frees it last. Nothing outside of the document is
/// ever loaded.
final class XMLReader {
    /// libxml2 keeps what a document type declares; a longer prolog counts as an error.
    private static let longestProlog = 1 << 20
    /// Bytes of all names of a document. Beyond, libxml2 would search its table ever longer.
    private static let longestNames = 1 << 20

    /// Deeper documents end there, as in browsers.
    private static let deepest = 5000
    /// Namespaces declared by all open elements: libxml2 searches them for each element.
    private static let mostNamespaces = 1024
    /// Attributes that the document type gives values: libxml2 compares them for each element.
    private static let mostDefaults = 64
    /// Elements may be more than the document has bytes, as entities can hold elements.
    private static let elementsInAnyCase = 10_000
    /// What references to entities may come to: some times what was read, as in later versions of
    /// libxml2, and so much in any case.
    private static let (expansion, expansionInAnyCase) = (5, 1 << 20)

    private enum Root { case svg, html, other }

    /// A title element that counts, or would.
    private struct Candidate {
        var text = TitleText()
        var isFound = false
        /// Its depth, while it is open.
        var depth: Int?
        /// How much of its text browsers have made a node of: what comes later is lost if an error
        /// comes before its end.
        private var nodesEnd: Int?

        mutating func begin(at depth: Int) {
            guard !isFound else { return }
            isFound = true
            self.depth = depth
        }

        /// Takes note that anything but text stands here.
        mutating func endNode() {
            if depth != nil { nodesEnd = text.mark }
        }

        /// Takes an error of the document.
        mutating func cut() {
            guard depth != nil else { return }
            depth = nil
            isFound = nodesEnd != nil
            text.cut(to: nodesEnd ?? 0)
        }
    }

    private let parser: xmlParserCtxtPtr?
    private var pieces = XMLPieces()
    private var root: Root?
    private var depth = 0
    private var first = Candidate()
    /// The first title of XHTML in an SVG document: around one with an error, browsers build a page of
    /// HTML, in which that of SVG no longer counts.
    private var firstHTML = Candidate()
    /// Depth of the outermost `template`, whose content is no part of the document.
    private var templateDepth: Int?
    private var noscriptDepth: Int?
    private var baseHref: String?
    private var isOver = false
    private var bytesRead = 0
    private var elements = 0
    /// Bytes of all entities that were referred to, as often as they were.
    private var expandedBytes = 0
    private var defaults = 0
    fileprivate private(set) var entities = XMLEntities()

    /// A body, or what stands for it, has begun.
    private(set) var hasBodyBegun = false
    private(set) var refresh: Refresh?

    /// The first title was closed, or there is none.
    var isTitleKnown: Bool { isOver || first.isFound && first.depth == nil }
    /// An error can take back the title of an SVG document, up to its end.
    var isSettled: Bool { isOver || isTitleKnown && hasBodyBegun && root != .svg }
    /// The title, once known.
    var title: String? { isTitleKnown && first.isFound ? first.text.value : nil }

    init() {
        XMLLibrary.prepare()
        var handler = XMLCallbacks.handler()
        parser = xmlCreatePushParserCtxt(&handler, nil, nil, 0, nil)
        guard let parser else {
            // Without memory for a parser there is no title.
            isOver = true
            return
        }
        parser.pointee._private = Unmanaged.passUnretained(self).toOpaque()
        let options =
            XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue
            | XML_PARSE_NOWARNING.rawValue | XML_PARSE_IGNORE_ENC.rawValue
        xmlCtxtUseOptions(parser, CInt(bitPattern: options))
        xmlDictSetLimit(parser.pointee.dict, Self.longestNames)
        xmlSwitchEncoding(parser, XML_CHAR_ENCODING_UTF8)
    }

    deinit {
        guard let parser else { return }
        if let document = parser.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(parser)
    }

    /// Reads on.
    func read(_ bytes: UnsafeRawBufferPointer) {
        guard !isSettled else { return }
        pieces.read(bytes, parse)
        if pieces.isBeyondLimits { fail() }
    }

    /// Takes the end of the document.
    func finish() {
        pieces.finish(parse)
        if !isOver { parse(nil, count: 0, isLast: true) }
        if !isOver { end() }
    }

    /// - Returns: Whether more is wanted.
    private func parse(_ piece: UnsafeRawBufferPointer) -> Bool {
        let piece = piece.bindMemory(to: CChar.self)
        parse(piece.baseAddress, count: piece.count, isLast: false)
        return !isSettled
    }

    private func parse(_ bytes: UnsafePointer<CChar>?, count: Int, isLast: Bool) {
        guard let parser else { return }
        xmlParseChunk(parser, bytes, CInt(count), isLast ? 1 : 0)
        bytesRead += count
        // A document that is not well-formed ends at its first error.
        let hasError = parser.pointee.wellFormed == 0 || parser.pointee.disableSAX != 0
        let isBeyondLimits =
            depth > Self.deepest || root == nil && bytesRead > Self.longestProlog
            || elements > max(bytesRead, Self.elementsInAnyCase) || defaults > Self.mostDefaults
            || isExpandedTooFar
            // Each takes two places: its prefix and its name.
            || parser.pointee.nsNr > 2 * Self.mostNamespaces
        // Each piece is whole. A document type that libxml2 takes for unfinished all the same is not
        // well-formed; it would look through all of it again with each piece that follows.
        let isLost = parser.pointee.instate == XML_PARSER_DTD
        if hasError || isBeyondLimits || isLost { fail() }
    }

    /// Ends the document at an error, or at what we take for one.
    private func fail() {
        first.cut()
        firstHTML.cut()
        if root == .svg { first = firstHTML }
        end()
    }

    private func end() {
        isOver = true
        hasBodyBegun = true
    }

    // MARK: What the parser tells

    fileprivate func start(_ name: XMLName, _ attributes: XMLAttributes) {
        endNode()
        depth += 1
        elements += 1
        if root == nil { beginRoot(name) }
        if name.isHTML("body") || name.isHTML("frameset") { hasBodyBegun = true }
        if templateDepth == nil {
            if isTitle(name) { first.begin(at: depth) }
            if root == .svg, name.isHTML("title") { firstHTML.begin(at: depth) }
            if noscriptDepth == nil { noteMetadata(name, attributes) }
        }
        if templateDepth == nil, name.isHTML("template") { templateDepth = depth }
        if noscriptDepth == nil, name.isHTML("noscript") { noscriptDepth = depth }
    }

    fileprivate func end(_ name: XMLName) {
        if first.depth == depth { first.depth = nil }
        if firstHTML.depth == depth { firstHTML.depth = nil }
        if templateDepth == depth { templateDepth = nil }
        if noscriptDepth == depth { noscriptDepth = nil }
        depth -= 1
    }

    fileprivate func characters(_ bytes: UnsafeRawBufferPointer) {
        // Only the title's own text counts, not that of elements in it.
        if first.depth == depth { first.text.append(bytes) }
        if firstHTML.depth == depth { firstHTML.text.append(bytes) }
    }

    /// Takes note that anything but text stands here.
    fileprivate func endNode() {
        first.endNode()
        firstHTML.endNode()
    }

    fileprivate func documentType(publicID: UnsafePointer<xmlChar>?) {
        entities.noteDocumentType(publicID: publicID)
    }

    /// Whether an entity's content may be put in the place of one more reference.
    fileprivate func expands(_ entity: xmlEntityPtr?) -> Bool {
        expandedBytes += Int(entity?.pointee.length ?? 0)
        return !isExpandedTooFar
    }

    private var isExpandedTooFar: Bool {
        expandedBytes > max(Self.expansionInAnyCase, Self.expansion * bytesRead)
    }

    fileprivate func attributeDeclaration(hasDefault: Bool) {
        if hasDefault { defaults += 1 }
    }

    private func beginRoot(_ name: XMLName) {
        if name.isSVG("svg") {
            root = .svg
        } else {
            root = name.isHTML("html") ? .html : .other
        }
        if root != .html { hasBodyBegun = true }
    }

    private func isTitle(_ name: XMLName) -> Bool {
        root == .svg ? depth == 2 && name.isSVG("title") : name.isHTML("title")
    }

    private func noteMetadata(_ name: XMLName, _ attributes: XMLAttributes) {
        if name.isHTML("base"), baseHref == nil {
            baseHref = attributes.value(of: "href")
        } else if name.isHTML("meta"), refresh == nil,
            attributes.value(of: "http-equiv")?.lowercased() == "refresh",
            let content = attributes.value(of: "content"),
            let (delay, url) = PageReader.parseRefresh(content)
        {
            refresh = Refresh(delay: delay, url: url, baseHref: baseHref)
        }
    }
}

/// The C side: plain functions that find the reader again and call it.
private enum XMLCallbacks {
    /// The one place where libxml2's context becomes a Swift object; it lives as long as the parser.
    private static func reader(_ context: UnsafeMutableRawPointer?) -> XMLReader? {
        guard let parser = context?.assumingMemoryBound(to: xmlParserCtxt.self),
            let reader = parser.pointee._private
        else { return nil }
        return Unmanaged<XMLReader>.fromOpaque(reader).takeUnretainedValue()
    }

    static func handler() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        xmlSAXVersion(&handler, 2)
        handler.startElementNs = { context, local, _, uri, _, _, count, _, attributes in
            XMLCallbacks.reader(context)?.start(
                XMLName(local: local, uri: uri), XMLAttributes(attributes, count: Int(count)))
        }
        handler.endElementNs = { context, local, _, uri in
            XMLCallbacks.reader(context)?.end(XMLName(local: local, uri: uri))
        }
        handler.characters = { context, bytes, count in
            let text = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            XMLCallbacks.reader(context)?.characters(text)
        }
        handler.cdataBlock = { context, bytes, count in
            let text = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            let reader = XMLCallbacks.reader(context)
            reader?.characters(text)
            reader?.endNode()
        }
        handler.comment = { context, _ in XMLCallbacks.reader(context)?.endNode() }
        handler.processingInstruction = { context, _, _ in XMLCallbacks.reader(context)?.endNode() }
        handler.ignorableWhitespace = handler.characters
        handler.internalSubset = { context, name, publicID, systemID in
            XMLCallbacks.reader(context)?.documentType(publicID: publicID)
            xmlSAX2InternalSubset(context, name, publicID, systemID)
        }
        handler.getEntity = { context, name in
            let declared = xmlSAX2GetEntity(context, name)
            guard let reader = XMLCallbacks.reader(context) else { return nil }
            let entity = reader.entities.entity(named: name, declared: declared)
            return reader.expands(entity) ? entity : nil
        }
        handler.getParameterEntity = { context, name in
            let declared = xmlSAX2GetParameterEntity(context, name)
            return XMLCallbacks.reader(context)?.entities.parameterEntity(declared: declared)
        }
        handler.attributeDecl = { context, _, _, _, _, value, values in
            XMLCallbacks.reader(context)?.attributeDeclaration(hasDefault: value != nil)
            // They are the callback's to free.
            xmlFreeEnumeration(values)
        }
        // Nothing is loaded, and nothing kept but what may be text.
        handler.resolveEntity = nil
        handler.externalSubset = nil
        handler.reference = nil
        handler.elementDecl = nil
        handler.notationDecl = nil
        handler.unparsedEntityDecl = nil
        handler.serror = { _, _ in }
        return handler
    }
}

/// libxml2's global state.
private enum XMLLibrary {
    /// Runs once a process; no other module uses libxml2.
    private static let isPrepared: Bool = {
        xmlInitParser()
        // Whatever a document names, no file and no address is ever opened for it.
        xmlSetExternalEntityLoader { _, _, _ in nil }
        return true
    }()

    static func prepare() { _ = isPrepared }
}

import CXML2
import Glibc

/// The entities of a document: its own, and XHTML's names without its DTD being loaded.
///
/// libxml2 is lent one `xmlEntity` at a time and uses it before it asks for the next.
final class XMLEntities {
    /// Documents with these public ids may use HTML's names, as in browsers.
    private static let publicIDs: [StaticString] = [
        "-//W3C//DTD XHTML 1.0 Transitional//EN", "-//W3C//DTD XHTML 1.1//EN",
        "-//W3C//DTD XHTML 1.0 Strict//EN", "-//W3C//DTD XHTML 1.0 Frameset//EN",
        "-//W3C//DTD XHTML Basic 1.0//EN", "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN",
        "-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN", "-//W3C//DTD MathML 2.0//EN",
        "-//WAPFORUM//DTD XHTML Mobile 1.0//EN", "-//WAPFORUM//DTD XHTML Mobile 1.1//EN",
        "-//WAPFORUM//DTD XHTML Mobile 1.2//EN",
    ]

    private let lent = UnsafeMutablePointer<xmlEntity>.allocate(capacity: 1)
    /// Room for the longest text of a name, and its NUL.
    private let content = UnsafeMutablePointer<xmlChar>.allocate(
        capacity: CharacterReferences.longestText + 1)
    private let name = UnsafeMutablePointer<xmlChar>.allocate(capacity: 2)
    private var hasHTMLNames = false

    init() {
        content.initialize(repeating: 0, count: CharacterReferences.longestText + 1)
        name.initialize(repeating: 0, count: 2)
        name[0] = UInt8(ascii: "e")
        lent.initialize(to: xmlEntity())
        lent.pointee.type = XML_ENTITY_DECL
        lent.pointee.name = UnsafePointer(name)
        lent.pointee.content = content
    }

    deinit {
        lent.deallocate()
        content.deallocate()
        name.deallocate()
    }

    func noteDocumentType(publicID: UnsafePointer<xmlChar>?) {
        hasHTMLNames = Self.publicIDs.contains { equals(publicID, $0) }
    }

    /// What a reference stands for.
    ///
    /// - Parameters:
    ///   - name: The name between `&` and `;`.
    ///   - declared: What the document itself, or XML, says it is.
    /// - Returns: nil if it is an error of the document; what is lent, up to the next call.
    func entity(named name: UnsafePointer<xmlChar>?, declared: xmlEntityPtr?) -> xmlEntityPtr? {
        if let declared {
            switch declared.pointee.etype {
            case XML_INTERNAL_GENERAL_ENTITY, XML_INTERNAL_PREDEFINED_ENTITY: return declared
            default: return lend([], as: XML_INTERNAL_PREDEFINED_ENTITY)
            }
        }
        guard hasHTMLNames, let name else { return nil }
        let length = strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        guard length <= CharacterReferences.longestName,
            let match = CharacterReferences.match(
                UnsafeRawBufferPointer(start: name, count: length), isClosed: true),
            match.hasSemicolon
        else { return nil }
        // libxml2 takes the content of a predefined entity as plain text.
        return lend(
            [match.first, match.second].compactMap { $0 }, as: XML_INTERNAL_PREDEFINED_ENTITY)
    }

    /// What a reference in a document type stands for: nothing, if it is a file elsewhere.
    func parameterEntity(declared: xmlEntityPtr?) -> xmlEntityPtr? {
        guard let declared, declared.pointee.etype != XML_INTERNAL_PARAMETER_ENTITY else {
            return declared
        }
        return lend([], as: XML_INTERNAL_PARAMETER_ENTITY)
    }

    /// Lends an entity with that text, of at most two scalars.
    private func lend(_ scalars: [Unicode.Scalar], as type: xmlEntityType) -> xmlEntityPtr {
        var count = 0
        for byte in scalars.flatMap({ UTF8.encode($0).map(Array.init) ?? [] }) {
            guard count < CharacterReferences.longestText else { break }
            content[count] = byte
            count += 1
        }
        content[count] = 0
        lent.pointee.length = CInt(count)
        lent.pointee.etype = type
        return lent
    }
}

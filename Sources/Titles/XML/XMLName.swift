import CXML2
import Glibc

/// An element's name and namespace, as libxml2 holds them during one callback.
struct XMLName {
    let local: UnsafePointer<xmlChar>?
    let uri: UnsafePointer<xmlChar>?

    func isHTML(_ name: StaticString) -> Bool {
        equals(local, name) && equals(uri, "http://www.w3.org/1999/xhtml")
    }

    func isSVG(_ name: StaticString) -> Bool {
        equals(local, name) && equals(uri, "http://www.w3.org/2000/svg")
    }
}

/// An element's attributes, as libxml2 holds them during one callback.
struct XMLAttributes {
    /// Five pointers each: name, prefix, namespace, start and end of the value.
    private let fields: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    private let count: Int

    init(_ fields: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int) {
        self.fields = fields
        self.count = count
    }

    /// The value of the attribute of that name without a namespace.
    func value(of name: StaticString) -> String? {
        guard let fields else { return nil }
        for index in 0..<count {
            let attribute = fields + 5 * index
            guard equals(attribute[0], name), attribute[2] == nil, let start = attribute[3],
                let end = attribute[4]
            else { continue }
            return String(
                decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
        }
        return nil
    }
}

/// Compares a string of libxml2 with one of ours.
func equals(_ string: UnsafePointer<xmlChar>?, _ expected: StaticString) -> Bool {
    guard let string else { return false }
    return expected.withUTF8Buffer { expected in
        guard let start = expected.baseAddress else { return string[0] == 0 }
        // strncmp stops at the NUL of `string`, so nothing behind it is read.
        return string.withMemoryRebound(to: CChar.self, capacity: 1) { string in
            start.withMemoryRebound(to: CChar.self, capacity: expected.count) { start in
                strncmp(string, start, expected.count) == 0
            }
        } && string[expected.count] == 0
    }
}

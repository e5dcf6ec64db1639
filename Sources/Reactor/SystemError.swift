import Glibc

/// A system call that failed: what was being done, and the code that came back.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The value of `errno`.
    package let code: CInt
    /// What the call was for, such as "wait for events".
    package let action: String

    package init(code: CInt, action: String) {
        self.code = code
        self.action = action
    }

    /// `ACTION: REASON`, with the C library's words for the code.
    package var description: String { "\(action): \(Self.reason(of: code))" }

    /// The C library's words for an error number.
    package static func reason(of code: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // The POSIX form: 0, and the words in the buffer.
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return buffer.withUnsafeBufferPointer { words in
            words.baseAddress.map { String(cString: $0) } ?? "error \(code)"
        }
    }
}

/// Runs a system call that answers -1 on failure, again if a signal cut it short.
///
/// - Throws: ``SystemError`` with what `action` says.
@discardableResult
package func call(
    _ action: @autoclosure () -> String, _ body: () -> CInt
) throws(SystemError) -> CInt {
    while true {
        let result = body()
        if result != -1 { return result }
        // Read errno before anything else can run: the next C call may overwrite it.
        let code = errno
        if code != EINTR { throw SystemError(code: code, action: action()) }
    }
}

import CTestLinux
import Glibc
import Reactor

/// Whole files, small ones.
package enum TextFile {
    /// The bytes of a file.
    package static func bytes(_ path: String) throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(
            owning: try call("read \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(file.raw, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw SystemError(code: errno, action: "read \(path)")
            }
        }
    }

    /// The text of a file.
    package static func read(_ path: String) throws(SystemError) -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    /// Makes a file, or puts the text in place of what it holds.
    package static func write(
        _ text: String, to path: String, mode: mode_t = 0o644
    ) throws(SystemError) {
        let file = FileDescriptor(
            owning: try call("write \(path)") {
                open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
            })
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw SystemError(code: errno, action: "write \(path)")
            }
        }
    }
}

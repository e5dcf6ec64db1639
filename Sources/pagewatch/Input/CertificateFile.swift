import Events
import Glibc

/// The file of `--cacert`, looked at before anything is loaded: with a wrong one every https page
/// would fail, and each would seem to be its host's fault.
enum CertificateFile {
    /// A whole system's authorities are a quarter of a megabyte.
    private static let mostBytes = 64 << 20
    /// What opens a certificate in PEM, in the forms that OpenSSL reads.
    private static let marks = ["", "TRUSTED ", "X509 "].map { "-----BEGIN \($0)CERTIFICATE-----" }

    /// - Throws: If the file can't be read or holds no certificate.
    static func check(_ path: String) throws(UsageError) {
        let bytes = try contents(path)
        guard marks.contains(where: { bytes.contains(Array($0.utf8)) }) else {
            throw UsageError(
                "--cacert: \(escaped(path)) holds no certificate (name a file in PEM form)")
        }
    }

    private static func contents(_ path: String) throws(UsageError) -> [UInt8] {
        // O_NONBLOCK: opening a pipe must not wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < mostBytes {
            let count = chunk.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { break }
            if count > 0 {
                bytes.append(contentsOf: chunk[..<count])
            } else if errno != EINTR {
                throw unreadable(path, errno)
            }
        }
        return bytes
    }

    private static func unreadable(_ path: String, _ code: CInt) -> UsageError {
        UsageError("--cacert: can't read \(escaped(path)): \(systemMessage(code))")
    }
}

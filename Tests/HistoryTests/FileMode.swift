import Glibc
import Reactor

/// The permissions of files.
enum FileMode {
    static func of(_ path: String) throws -> mode_t {
        var status = stat()
        try call("look at \(path)") { stat(path, &status) }
        return status.st_mode & 0o777
    }
}

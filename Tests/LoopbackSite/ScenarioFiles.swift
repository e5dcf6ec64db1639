import CTestLinux
import Glibc
import Reactor

extension Scenario {
    /// The folder of the scenarios, beside the sources.
    package static var folder: String {
        let here = #filePath
        return here.prefix(upTo: here.lastIndex(of: "/") ?? here.endIndex) + "/Scenarios"
    }

    /// Those of that folder, read when they are first asked for.
    static let own = Result { try all(inFolder: folder) }

    /// Reads a scenario that a test has written.
    ///
    /// - Throws: ``ScenarioError`` for the first mistake.
    package init(text: String, name: String = "inline") throws(ScenarioError) {
        self = try ScenarioReader.read(text, name: name, file: name)
    }

    /// Reads all `NAME.scenario` of a folder, in the order of their names.
    ///
    /// - Throws: ``ScenarioError`` for the first mistake, ``SystemError`` if a file can't be read.
    package static func all(inFolder folder: String) throws -> [Scenario] {
        let names = try fileNames(inFolder: folder).filter { $0.hasSuffix(".scenario") }
        return try names.sorted().map { name in
            let path = folder + "/" + name
            let text = String(decoding: try contents(of: path), as: UTF8.self)
            return try ScenarioReader.read(
                text, name: String(name.dropLast(".scenario".count)), file: path)
        }
    }

    private static func fileNames(inFolder folder: String) throws(SystemError) -> [String] {
        guard let handle = opendir(folder) else {
            throw SystemError(code: errno, action: "read the folder \(folder)")
        }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            // `d_name` is a C string within the entry, which lives until the next readdir().
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }

    private static func contents(of path: String) throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(
            owning: try call("read \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(file.raw, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw SystemError(code: errno, action: "read \(path)")
            }
        }
    }
}

import Glibc
import TestSupport
import Testing

@testable import Configuration

/// Configurations of `Fixtures`, one flaw a file, named for it.
///
/// Beside each is `NAME.errors`: the lines that `pagewatch verify` prints about it, less the path
/// in front.
@Suite struct `A flawed configuration` {
    static let folder = (#filePath.split(separator: "/").dropLast() + ["Fixtures"])
        .reduce("") { $0 + "/" + $1 }

    static let names: [String] = {
        guard let folder = opendir(folder) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".yaml") { names.append(String(name.dropLast(5))) }
        }
        return names.sorted()
    }()

    @Test func `is found`() {
        #expect(Self.names.count > 40)
    }

    @Test(arguments: names)
    func `is refused with the errors beside it`(name: String) throws {
        let path = "\(Self.folder)/\(name).yaml"
        let loaded = ConfigurationFiles.load(main: path)
        let errors = loaded.mistakes.map { mistake in
            // Paths in it are shown as they are opened.
            String(mistake.description.dropFirst(path.count + 1))
                .split(separator: Self.folder + "/", omittingEmptySubsequences: false).joined()
        }
        let expected = try TextFile.read("\(Self.folder)/\(name).errors")
            .split(separator: "\n").map(String.init)
        #expect(errors == expected)
        #expect(!loaded.isMainAccepted)
        #expect(loaded.acceptedFiles.isEmpty)
        #expect(loaded.configuration == Configuration())
    }
}

import Glibc
import Testing

@testable import pagewatch

/// A folder that goes with its owner.
private final class Folder {
    let path: String

    init() throws {
        var template = Array("/tmp/pagewatch-test.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in names { _ = unlink(path + "/" + name) }
        _ = rmdir(path)
    }

    /// What is in the folder.
    var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func write(_ text: String, to name: String) throws {
        let descriptor = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o640)
        try #require(descriptor >= 0)
        defer { _ = close(descriptor) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    func read(_ name: String) throws -> String {
        let descriptor = open(path + "/" + name, O_RDONLY)
        try #require(descriptor >= 0)
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// Compares and saves, as one run does.
private func run(
    _ path: String, _ pages: [(String, String?)]
) throws -> [TitleFile.Comparison] {
    var file = try TitleFile(path: path)
    let outcomes = pages.map { file.compare($0.1, for: $0.0) }
    try file.save()
    return outcomes
}

@Suite struct `Title file` {
    @Test func `is made on the first run and compared with on the next`() throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        #expect(try run(path, [("https://a/", "A"), ("https://b/", nil)]) == [.first, .first])
        #expect(
            try folder.read("titles")
                == "# pagewatch titles 1\nhttps://a/\t\"A\"\nhttps://b/\tnull\n")
        #expect(try run(path, [("https://a/", "A"), ("https://b/", nil)]) == [.same, .same])
        #expect(try run(path, [("https://a/", "B")]) == [.changed(from: "A")])
        #expect(try run(path, [("https://a/", "B")]) == [.same])
        #expect(folder.names == ["titles"])
    }

    @Test func `tells none from an empty title, and é from its decomposition`() throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        _ = try run(path, [("https://a/", nil), ("https://b/", ""), ("https://c/", "\u{E9}")])
        #expect(
            try run(path, [("https://a/", ""), ("https://b/", nil), ("https://c/", "e\u{301}")])
                == [.changed(from: nil), .changed(from: ""), .changed(from: "\u{E9}")])
    }

    @Test func `keeps the lines of pages that are not in a run, in their order`() throws {
        let folder = try Folder()
        try folder.write(
            "# pagewatch titles 1\nhttps://a/\t\"A\"\nhttps://b/\t\"B\"\nhttps://c/\t\"C\"\n",
            to: "titles")
        _ = try run(folder.path + "/titles", [("https://d/", "D"), ("https://b/", "new")])
        #expect(
            try folder.read("titles")
                == "# pagewatch titles 1\nhttps://a/\t\"A\"\nhttps://b/\t\"new\"\n"
                + "https://c/\t\"C\"\nhttps://d/\t\"D\"\n")
    }

    @Test func `does not undo what another run has kept meanwhile`() throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        _ = try run(path, [("https://a/", "A"), ("https://b/", "B")])
        var slow = try TitleFile(path: path)
        _ = slow.compare("A2", for: "https://a/")
        _ = try run(path, [("https://b/", "B2"), ("https://c/", "C")])
        try slow.save()
        #expect(
            try run(path, [("https://a/", "A2"), ("https://b/", "B2"), ("https://c/", "C")])
                == [.same, .same, .same])
    }

    @Test func `holds what every one of many runs at a time has kept`() async throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { _ = try run(path, [("https://\(number)/", "\(number)")]) }
            }
            try await group.waitForAll()
        }
        let all = (0..<20).map { ("https://\($0)/", Optional("\($0)")) }
        #expect(try run(path, all) == Array(repeating: .same, count: 20))
        #expect(folder.names == ["titles"])
    }

    @Test(arguments: [
        "", "\"", "\\", "a\"b\\c", "line\nbreak\r\ttab\0", "\u{2028}\u{202E}\u{85}", "日本 😀",
        "null", "\\u0041", "\u{FEFF}",
    ])
    func `keeps every title as it is`(title: String) throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        let url = "https://a/?\"\\\(title)"
        _ = try run(path, [(url, title)])
        #expect(try run(path, [(url, title)]) == [.same])
        #expect(try folder.read("titles").utf8.filter { $0 == 10 }.count == 2)
    }

    @Test(arguments: [
        ("root:x:0:0\n", 1, "this is not a file of pagewatch's titles"),
        ("# pagewatch titles 2\n", 1, "this is not a file of pagewatch's titles"),
        ("\n", 1, "this is not a file of pagewatch's titles"),
        (
            "# pagewatch titles 1\nhttps://a/\t\"A\"\nhttps://b/ \"B\"\n", 3,
            "this is not a URL, a tab and a title"
        ),
        ("# pagewatch titles 1\nhttps://a/\t\"A\n", 2, "this is not a URL, a tab and a title"),
        ("# pagewatch titles 1\nhttps://a/\t\"\\\"\n", 2, "this is not a URL, a tab and a title"),
        (
            "# pagewatch titles 1\nhttps://a/\t\"\\u12\"\n", 2,
            "this is not a URL, a tab and a title"
        ),
        (
            "# pagewatch titles 1\nhttps://a/\t\"\\uD800\"\n", 2,
            "this is not a URL, a tab and a title"
        ),
        ("# pagewatch titles 1\n\thttps://a/\n", 2, "this is not a URL, a tab and a title"),
        ("# pagewatch titles 1\n\n", 2, "this is not a URL, a tab and a title"),
        (
            "# pagewatch titles 1\nhttps://a/\t\"A\"\nhttps://a/\t\"B\"\n", 3,
            "this URL has a line already"
        ),
        ("# pagewatch titles 1\nhttps://a/\t\"A\"", 2, "the line is cut off"),
    ])
    func `names the line that is damaged and changes nothing`(
        text: String, line: Int, problem: String
    ) throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        try folder.write(text, to: "titles")
        let error = #expect(throws: TitleFileError.self) { try TitleFile(path: path) }
        #expect(
            error?.message
                == "\(path):\(line): \(problem) (mend or remove it; nothing was changed)")
        #expect(try folder.read("titles") == text)
    }

    @Test func `that was damaged during a run is left alone`() throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        var file = try TitleFile(path: path)
        _ = file.compare("A", for: "https://a/")
        try folder.write("something else\n", to: "titles")
        #expect(throws: TitleFileError.self) { try file.save() }
        #expect(try folder.read("titles") == "something else\n")
        #expect(folder.names == ["titles"])
    }

    @Test func `may be empty at first, keeps its mode, and is replaced behind a link`() throws {
        let folder = try Folder()
        try folder.write("", to: "real")
        try #require(symlink("real", folder.path + "/link") == 0)
        #expect(try run(folder.path + "/link", [("https://a/", "A")]) == [.first])
        #expect(try folder.read("real").hasSuffix("https://a/\t\"A\"\n"))
        var status = stat()
        try #require(lstat(folder.path + "/link", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        try #require(stat(folder.path + "/real", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
    }

    @Test(arguments: ["/dev/null", "/tmp", "/nowhere/titles", "/etc/passwd/titles"])
    func `is refused where there can't be one`(path: String) {
        let error = #expect(throws: TitleFileError.self) { try TitleFile(path: path) }
        #expect(error?.message.hasPrefix(path) == true)
    }

    @Test func `is left alone when nothing has changed`() throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        _ = try run(path, [("https://a/", "A")])
        var before = stat()
        try #require(stat(path, &before) == 0)
        _ = try run(path, [("https://a/", "A")])
        var after = stat()
        try #require(stat(path, &after) == 0)
        #expect(before.st_ino == after.st_ino)
        _ = try run(path, [("https://a/", "B")])
        try #require(stat(path, &after) == 0)
        #expect(before.st_ino != after.st_ino)
    }

    @Test func `compares a page that is given twice with what was kept before`() throws {
        let folder = try Folder()
        let path = folder.path + "/titles"
        _ = try run(path, [("https://a/", "A")])
        #expect(
            try run(path, [("https://a/", "B"), ("https://a/", "A")])
                == [.changed(from: "A"), .same])
    }
}

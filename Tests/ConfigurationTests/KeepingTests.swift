import Glibc
import TestSupport
import Testing

@testable import Configuration

@Suite struct `A kept definition` {
    @Test(arguments: KeyTables.target.keys.map(\.facts))
    func `has every key as it was`(key: KeyFacts) throws {
        let folder = try ConfigurationFolder(
            "targets:\n  a.b-c_1:\n    url: https://a.example/ä?q=\"x\"\n"
                + "    \(key.name): \(key.example)\n")
        let target = try #require(folder.load().configuration.targets.first)
        #expect(target.settings != TargetSettings())
        let kept = try TargetDefinition.decoded(target.encoded())
        #expect(kept == target)
        #expect(kept.fingerprint == target.fingerprint)
        #expect(kept.missingSecrets == [])
    }

    @Test func `reads secrets that lie elsewhere anew`() throws {
        let folder = try ConfigurationFolder(
            "targets: {a: {url: \"https://a.example/\", bearer: {file: token}}}")
        try folder.folder.write("one", to: "token")
        let target = folder.load().configuration.targets[0]
        #expect(try TargetDefinition.decoded(target.encoded()) == target)
        try folder.folder.write("two", to: "token")
        let kept = try TargetDefinition.decoded(target.encoded())
        #expect(kept.settings.bearer?.reveal() == "two")
        #expect(Folders.remove(file: folder.folder.file("token")))
        #expect(try TargetDefinition.decoded(target.encoded()).missingSecrets == ["bearer"])
    }

    @Test func `says which literal secrets it lacks, and stays so`() throws {
        let target = try configuration(
            """
            targets:
              a:
                url: https://u:swordfish@a.example/
                headers: {Accept: x, Cookie: swordfish}
                proxy: http://u:swordfish@p.example
            """
        ).targets[0]
        let kept = try TargetDefinition.decoded(target.encoded())
        #expect(target.missingSecrets == [])
        #expect(kept.missingSecrets == ["url", "headers", "proxy"])
        #expect(kept.settings.headers[0].value.reveal() == "x")
        let again = try TargetDefinition.decoded(kept.encoded())
        #expect(again == kept)
    }

    @Test(arguments: ["", "{", "{version: 2}", "[]", "{version: 1, name: a, url: \"https://a/\"}"])
    func `of another version is refused`(text: String) throws {
        #expect(throws: Mistake.self) { try TargetDefinition.decoded(Array(text.utf8)) }
    }

    @Test func `that is damaged never ends the program`() throws {
        let target = try configuration(
            "targets: {a: {url: \"https://a.example/\", ignore: [\"@time\", a], tags: [b]}}"
        ).targets[0]
        let bytes = target.encoded()
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x15
            _ = try? TargetDefinition.decoded(damaged)
            _ = try? TargetDefinition.decoded(bytes[..<index])
        }
    }
}

@Suite struct `A fingerprint` {
    private func target(_ keys: String, url: String = "https://a.example/") throws
        -> TargetDefinition
    {
        try configuration("targets:\n  a:\n    url: \(url)\n    \(keys)\n").targets[0]
    }

    @Test func `is the same in every run and for every version`() throws {
        let plain = try target("")
        #expect(plain.fingerprint == 12_775_835_390_797_676_682)
    }

    @Test(arguments: KeyTables.target.keys.map(\.facts))
    func `tells each key's edit`(key: KeyFacts) throws {
        let plain = try target("")
        let edited = try target("\(key.name): \(key.example)")
        #expect(edited.fingerprint != plain.fingerprint)
    }

    @Test func `tells another URL and another login in it`() throws {
        let texts = ["https://a.example/", "https://b.example/", "https://u:p@a.example/"]
        let all = try texts.map { try target("", url: $0) }
        #expect(Set(all.map(\.fingerprint)).count == 3)
    }
}

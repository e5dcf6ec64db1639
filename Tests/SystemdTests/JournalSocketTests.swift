import Glibc
import Systemd
import TestSupport
import Testing

/// What the journal reads of a datagram: `systemd`'s own rules for its native protocol.
private func fields(of bytes: [UInt8]) throws -> [[UInt8]: [UInt8]] {
    var fields: [[UInt8]: [UInt8]] = [:]
    var rest = bytes[...]
    while !rest.isEmpty {
        let end = try #require(rest.firstIndex(of: UInt8(ascii: "\n")))
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
            fields[Array(line[..<equals])] = Array(line[(equals + 1)...])
        } else {
            let size = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            let value = rest.dropFirst(8).prefix(size)
            #expect(value.count == size)
            fields[Array(line)] = Array(value)
            #expect(rest.dropFirst(8 + size).first == UInt8(ascii: "\n"))
            rest = rest.dropFirst(8 + size + 1)
        }
    }
    return fields
}

@Suite struct `A message for the journal` {
    @Test(arguments: [
        "", "plain", "a=b=c", "two\nlines", "\n", "MESSAGE=x\nPRIORITY=0\n", "\u{0}\u{1B}[2J",
        "\u{FFFD}é漢字",
    ])
    func `keeps each value whole, whatever is in it`(value: String) throws {
        var entry = JournalEntry()
        entry.append("BEFORE", "1")
        entry.append("PAGEWATCH_TITLE", value)
        entry.append("BEHIND", "2")
        let found = try fields(of: entry.bytes)
        #expect(found.count == 3)
        #expect(found[Array("PAGEWATCH_TITLE".utf8)] == Array(value.utf8))
        #expect(found[Array("BEHIND".utf8)] == Array("2".utf8))
    }

    @Test(arguments: ["x", "é", "漢", "😀"])
    func `has values that are cut between characters`(character: String) throws {
        var entry = JournalEntry()
        entry.append("LONG", String(repeating: character, count: 100_000))
        let value = try #require(try fields(of: entry.bytes)[Array("LONG".utf8)])
        // From 4096 bytes on, with the name, journalctl's JSON has null in its place.
        let size = "LONG=".utf8.count + value.count
        #expect(size < 4096 && size > 4096 - 10)
        let text = String(decoding: value, as: UTF8.self)
        #expect(text.hasSuffix("…") && !text.contains("\u{FFFD}"))
    }

    @Test func `is cut within a character that has thousands of marks`() throws {
        var entry = JournalEntry()
        entry.append("LONG", "e" + String(repeating: "\u{301}", count: 100_000))
        let value = try #require(try fields(of: entry.bytes)[Array("LONG".utf8)])
        #expect(value.count > 4000 && value.starts(with: Array("e\u{301}".utf8)))
    }
}

@Suite struct `The journal's socket` {
    private func entry(_ text: String) -> JournalEntry {
        var entry = JournalEntry()
        entry.append("MESSAGE", text)
        return entry
    }

    @Test func `takes a message as one datagram`() throws {
        let receiver = try DatagramReceiver()
        let socket = JournalSocket(path: receiver.place)
        #expect(socket.send(entry("one")) == .sent)
        #expect(socket.send(entry("two\nlines")) == .sent)
        #expect(receiver.nextText() == "MESSAGE=one\n")
        let second = try #require(receiver.next())
        #expect(try fields(of: second) == [Array("MESSAGE".utf8): Array("two\nlines".utf8)])
    }

    @Test func `is never waited for`() throws {
        let receiver = try DatagramReceiver()
        let socket = JournalSocket(path: receiver.place)
        var count = 0
        while count < 100_000, socket.send(entry("line")) == .sent { count += 1 }
        #expect(socket.send(entry("line")) == .busy)
        while receiver.next() != nil {}
        #expect(socket.send(entry("line")) == .sent)
    }

    @Test func `is found again when another journal has its name`() throws {
        let folder = try TemporaryFolder()
        let link = folder.file("link")
        let socket = JournalSocket(path: link)
        #expect(socket.send(entry("nobody")) == .refused)
        do {
            let first = try DatagramReceiver()
            #expect(symlink(first.place, link) == 0)
            #expect(socket.send(entry("first")) == .sent)
            #expect(first.nextText() == "MESSAGE=first\n")
        }
        unlink(link)
        #expect(socket.send(entry("nobody")) == .refused)
        let second = try DatagramReceiver()
        #expect(symlink(second.place, link) == 0)
        #expect(socket.send(entry("second")) == .sent)
        #expect(second.nextText() == "MESSAGE=second\n")
    }

    @Test func `takes the largest message that there can be`() throws {
        let receiver = try DatagramReceiver()
        let socket = JournalSocket(path: receiver.place)
        var entry = JournalEntry()
        for number in 0..<16 {
            entry.append("FIELD_\(number)", String(repeating: "x\n", count: 100_000))
        }
        #expect(socket.send(entry) == .sent)
        #expect(try fields(of: try #require(receiver.next())).count == 16)
    }
}

@Suite struct `A stream of the process` {
    @Test func `is the journal's if it is the very one that systemd has connected`() throws {
        var status = stat()
        #expect(fstat(STDERR_FILENO, &status) == 0)
        let own = "\(status.st_dev):\(status.st_ino)"
        #expect(JournalStream.isJournal(STDERR_FILENO) { _ in own })
        for other in [nil, "", "1", "x:y", "\(status.st_dev):\(status.st_ino + 1)"] {
            #expect(!JournalStream.isJournal(STDERR_FILENO) { _ in other })
        }
    }
}

import PageModel

/// The blobs of a target's row, beside those that are the owner's.
enum Encoded {
    private static let listLayout: Int64 = 2
    private static let recordLayout: Int64 = 1

    static func list(_ list: BackForwardList) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(listLayout)
        let back = list.backList
        let items = back + (list.currentItem.map { [$0] } ?? []) + list.forwardList
        writer.append(back.count)
        writer.append(items.count)
        for item in items {
            writer.append(item.url)
            writer.append(item.initialURL)
            writer.append(item.title)
        }
        writer.append(list.entryURL)
        return writer.bytes
    }

    static func record(_ record: LoadRecord) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(recordLayout)
        writer.append(record.load)
        writer.append(record.started.milliseconds)
        writer.append(record.ended.milliseconds)
        writer.append(record.url)
        writer.append(record.status.map(Int64.init))
        writer.append(record.title)
        writer.append(record.bytes)
        writer.append(record.error != nil)
        if let error = record.error { writer.append(error) }
        return writer.bytes
    }

    /// Nil for bytes that are damaged or of a later layout.
    static func list(from bytes: [UInt8]) -> BackForwardList? {
        var reader = ByteReader(bytes)
        return try? reader.list()
    }

    /// Nil for bytes that are damaged or of a later layout.
    static func record(from bytes: [UInt8]) -> LoadRecord? {
        var reader = ByteReader(bytes)
        return try? reader.record()
    }
}

extension ByteReader {
    fileprivate mutating func list() throws(Malformed) -> BackForwardList {
        let layout = try number()
        guard (1...2).contains(layout) else { throw Malformed() }
        let back = try number()
        let count = try number()
        guard (0...Int64(BackForwardList.capacity)).contains(count) else { throw Malformed() }
        guard back == 0 || (0..<count).contains(back) else { throw Malformed() }
        var list = BackForwardList()
        for _ in 0..<count {
            list.append(
                .init(url: try text(), initialURL: try text(), title: try optionalText()))
        }
        list.go(to: Int(back - count + 1))
        // What the first layout did not have: right for all pages but those with a refresh.
        list.entryURL = layout == 1 ? list.currentItem?.url ?? "" : try text()
        return list
    }

    fileprivate mutating func record() throws(Malformed) -> LoadRecord {
        guard try number() == 1 else { throw Malformed() }
        return LoadRecord(
            load: try number(), started: try time(), ended: try time(), url: try text(),
            status: try optionalInt(), title: try optionalText(), bytes: try optionalNumber(),
            error: try truth() ? try error() : nil)
    }
}

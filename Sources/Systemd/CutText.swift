extension String {
    /// The text, or as much of its beginning as there is room for, and an ellipsis.
    ///
    /// - Parameter mostBytes: Of what comes of it; at least those of the ellipsis.
    func cut(toBytes mostBytes: Int) -> Substring {
        guard utf8.count > mostBytes else { return self[...] }
        let mark = "…"
        var end = utf8.index(startIndex, offsetBy: max(0, mostBytes - mark.utf8.count))
        // Down to where a scalar's bytes begin: by characters nothing might be left, for one of
        // them may have thousands of marks.
        while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return self[..<end] + mark
    }
}

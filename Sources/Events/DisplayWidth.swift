import CLinux
import Glibc

/// The columns that a terminal gives to text: 2 for a wide character, 0 for an accent.
///
/// Needs a UTF-8 LC_CTYPE. A sequence that a terminal draws as one picture is counted part by
/// part: too many columns rather than too few.
package func displayWidth(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x7F { return scalar.value >= 0x20 ? 1 : 0 }
    // -1 stands for what can't be printed, and for what this C library does not know yet.
    let width = wcwidth(wchar_t(bitPattern: scalar.value))
    return width < 0 ? 1 : Int(width)
}

/// As much of `text` as fits into `columns`, with `…` in place of what does not.
package func fitted(_ text: String, into columns: Int) -> String {
    guard columns > 0 else { return "" }
    // No text has more columns than bytes.
    guard text.utf8.count > columns, displayWidth(text) > columns else { return text }
    var width = 0
    for index in text.unicodeScalars.indices {
        width += displayWidth(text.unicodeScalars[index])
        if width > columns - 1 { return String(text.unicodeScalars[..<index]) + "…" }
    }
    return text
}

/// As much of `text` as fits into `columns`, with `…` in place of its middle: pages of one host
/// differ behind it, so more of the end stays than of the beginning.
package func fittedAround(_ text: String, into columns: Int) -> String {
    guard columns > 2, text.utf8.count > columns, displayWidth(text) > columns else {
        return fitted(text, into: columns)
    }
    let scalars = text.unicodeScalars
    // With the `…` a column wider.
    let beginning = fitted(text, into: (columns - 1) / 3 + 1)
    let room = columns - displayWidth(beginning)
    var width = 0
    var start = scalars.endIndex
    while start > scalars.startIndex {
        let before = scalars.index(before: start)
        width += displayWidth(scalars[before])
        if width > room { break }
        start = before
    }
    // An accent belongs to a letter that did not fit.
    while start < scalars.endIndex, displayWidth(scalars[start]) == 0 {
        start = scalars.index(after: start)
    }
    return beginning + String(scalars[start...])
}

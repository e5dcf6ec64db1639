/// A title's beginning, as much of it as `utf16Limit` UTF-16 units allow; 0 leaves it whole.
///
/// WebKit's API cuts titles so, and never through a scalar: a pair of surrogates that does not fit
/// is left out whole. What follows a scalar (an accent, a joiner) may be cut off from it.
package func cut(_ title: String, utf16Limit: Int) -> String {
    // No scalar has more UTF-16 units than UTF-8 bytes, so most titles need no counting.
    guard utf16Limit > 0, title.utf8.count > utf16Limit else { return title }
    var units = 0
    for index in title.unicodeScalars.indices {
        units += UTF16.width(title.unicodeScalars[index])
        if units > utf16Limit { return String(title.unicodeScalars[..<index]) }
    }
    return title
}

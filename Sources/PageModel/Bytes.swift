/// Whether two strings are the same bytes of UTF-8.
///
/// String's `==` holds canonically equivalent strings for the same; a title that changes from one
/// normal form to another, or a URL with other bytes, is another one.
func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
}

/// Whether two strings are the same bytes of UTF-8, or both missing.
func isSame(_ one: String?, _ other: String?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): isSame(one, other)
    default: false
    }
}

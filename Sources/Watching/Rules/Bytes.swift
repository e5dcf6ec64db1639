/// Whether two strings are the same bytes of UTF-8.
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

/// The one of `names` that somebody who wrote `word` most likely meant, or nil.
///
/// A name is near if few letters differ, are missing, too many or swapped (a third of the word's
/// length, but not all of it), or if the word is how it begins.
package func nearest(to word: String, among names: [String]) -> String? {
    let letters = Array(word.lowercased().utf8)
    guard !letters.isEmpty, letters.count <= 64 else { return nil }
    var best: (name: String, distance: Int)?
    for name in names {
        let candidate = Array(name.utf8)
        var distance = editDistance(letters, candidate)
        if letters.count >= 2, candidate.starts(with: letters) { distance = min(distance, 1) }
        guard distance <= max(1, max(letters.count, candidate.count) / 3) else { continue }
        guard distance < max(letters.count, candidate.count) else { continue }
        if distance < best?.distance ?? .max { best = (name, distance) }
    }
    return best?.name
}

/// How many letters must be put in, taken out, changed or swapped with their neighbour.
private func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for i in 0..<one.count {
        var row = [i + 1]
        for j in 0..<other.count {
            var least = min(row[j] + 1, last[j + 1] + 1, last[j] + (one[i] == other[j] ? 0 : 1))
            if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                least = min(least, beforeLast[j - 1] + 1)
            }
            row.append(least)
        }
        beforeLast = last
        last = row
    }
    return last[other.count]
}

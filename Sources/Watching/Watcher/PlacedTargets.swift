/// The targets that are loaded, by their places in the schedule: a row as the schedule's own, a third
/// of a dictionary's size.
struct PlacedTargets {
    private var row: [WatchedTarget?] = []

    /// The target at a place; nil if there is none, or another one by now.
    subscript(place: Schedule.ID) -> WatchedTarget? {
        get {
            guard row.indices.contains(index(place)), let target = row[index(place)],
                target.place == place
            else { return nil }
            return target
        }
        set {
            let index = index(place)
            while row.count <= index { row.append(nil) }
            row[index] = newValue
        }
    }

    private func index(_ place: Schedule.ID) -> Int { Int(place.index) }
}

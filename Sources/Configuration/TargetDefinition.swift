import WebAddress

/// One target as the configuration defines it.
///
/// The settings are shared between targets that have the same: 100,000 targets of a few groups
/// cost little more than their names and URLs. The definition itself is shared too, by all who hold it:
/// most of them go on unchanged from one configuration to the next.
package final class TargetDefinition: Equatable, Sendable {
    /// Where a definition stands.
    package struct Place: Equatable, Sendable {
        package var file: String
        private let shortLine: Int32
        private let shortColumn: Int32
        /// From 1.
        package var line: Int { Int(shortLine) }
        /// Likewise, in characters.
        package var column: Int { Int(shortColumn) }

        package init(file: String, line: Int, column: Int = 1) {
            self.file = file
            shortLine = Int32(clamping: line)
            shortColumn = Int32(clamping: column)
        }
    }

    /// ASCII letters, digits, `.`, `_` and `-`; what the target's history goes by.
    package let name: String
    /// The address to load; it alone has the user information that the URL was written with.
    package let url: WebAddress
    /// Whether the URL was written with user information that is not known any more.
    let lacksURLLogin: Bool
    package let place: Place
    let shared: SharedSettings

    package var settings: TargetSettings { shared.value }

    /// A definition that stands in no file.
    package convenience init(
        name: String, url: WebAddress, settings: TargetSettings = TargetSettings(),
        place: Place = Place(file: "", line: 1)
    ) {
        self.init(name: name, url: url, place: place, settings: SharedSettings(settings))
    }

    /// The same for definitions that share their settings, while one of them lives.
    package var settingsIdentity: ObjectIdentifier { ObjectIdentifier(shared) }

    init(
        name: String, url: WebAddress, place: Place, settings: SharedSettings,
        lacksURLLogin: Bool = false
    ) {
        self.name = name
        self.url = url
        self.place = place
        shared = settings
        self.lacksURLLogin = lacksURLLogin
    }

    /// Whether the target is the same to load and to judge: all but the place.
    package func isSame(as other: TargetDefinition) -> Bool {
        self === other
            || name == other.name && url == other.url && lacksURLLogin == other.lacksURLLogin
                && (shared === other.shared
                    || (shared.fingerprint == other.shared.fingerprint
                        && shared.value == other.shared.value))
    }

    package static func == (one: TargetDefinition, other: TargetDefinition) -> Bool {
        one.isSame(as: other) && one.place == other.place
    }
}

import Glibc

/// Where the main file of the configuration is.
package enum MainFile {
    /// The file to read.
    ///
    /// - Parameter named: By the command line; goes before `$PAGEWATCH_CONFIG`, and that before the
    ///   places where the file is looked for.
    /// - Throws: That it is in none of these places, with all of them.
    package static func path(named: String? = nil) throws(ValueError) -> String {
        if let path = named ?? variable("PAGEWATCH_CONFIG") { return path }
        let places = self.places
        if let path = places.first(where: { access($0, F_OK) == 0 }) { return path }
        throw ValueError(
            "there is no configuration; looked for "
                + places.map { Quoted.escaped($0) }.joined(separator: " and "),
            remedy: "write --config FILE")
    }

    /// In the order in which they are looked at.
    private static var places: [String] {
        var places = ["/etc/pagewatch/pagewatch.yaml"]
        let ofUser = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
        if let ofUser { places.append(ofUser + "/pagewatch/pagewatch.yaml") }
        return places
    }

    /// A variable of the environment, if it is set to something.
    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}

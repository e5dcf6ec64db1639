/// What is kept of a definition between runs.
extension TargetDefinition {
    /// The same for the same definition, whatever the place, in every run of this version.
    package var fingerprint: UInt64 { 0 }

    /// Likewise, of what decides which page the server gives and how its title is read: an edit
    /// of it makes the next load's title a matter of ours, not a change.
    package var pageFingerprint: UInt64 { 0 }

    /// The definition for the state folder, without secrets: see ``init(decoding:)``.
    package func encoded() -> [UInt8] { [] }

    /// Reads what ``encoded()`` wrote, and the secrets anew from their files and variables.
    ///
    /// - Throws: A mistake if it is from no version that this one knows, or damaged.
    package init(decoding bytes: some Sequence<UInt8>) throws(Mistake) {
        throw Mistake(
            file: "", position: .init(line: 1, column: 1), problem: "is no kept definition",
            remedy: "it will be written anew")
    }

    /// Keys whose secret is not known: they stood in the configuration itself, or can't be read
    /// now. Always empty for what ``ConfigurationFiles`` loaded; such a target can't be loaded.
    package var missingSecrets: [String] { [] }
}

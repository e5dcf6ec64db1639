import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a test where the reference material beside the project is missing.
    package static var needsSharedFolder: Self {
        .enabled(if: SharedFolder.path != nil, Comment(rawValue: SharedFolder.skipReason))
    }

    /// Skips a test where nginx or openssl is not installed.
    package static var needsNginx: Self {
        .enabled(if: Nginx.isInstalled, Comment(rawValue: Nginx.skipReason))
    }

    /// Skips a test where tmux is not installed.
    package static var needsTmux: Self {
        .enabled(if: Tmux.isInstalled, Comment(rawValue: Tmux.skipReason))
    }
}

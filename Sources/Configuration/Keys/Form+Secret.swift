extension Form<Secret> {
    /// What stands in a kept definition where a secret was left out.
    private static let leftOut = "left_out"

    /// A text that stands here, in a file, in a credential or in a variable.
    ///
    /// - Parameter isPublic: Whether a text that stands here is no secret, and may be kept.
    static func secret(
        type: String = "text or secret",
        isPublic: @escaping @Sendable (String) -> Bool = { _ in false },
        check: @escaping @Sendable (String) -> ValueError? = { _ in nil }
    ) -> Form {
        Form(
            type: type,
            read: { node, spot, reading in
                guard let secret = read(node, spot, &reading) else { return nil }
                guard let value = secret.reveal() else { return secret }
                if let error = Line.problem(with: value) ?? check(value) {
                    reading.refuse(node, spot, error)
                    return nil
                }
                return secret
            },
            write: { secret, writing in write(secret, writing, isPublic: isPublic) })
    }

    private static func read(
        _ node: YAMLNode, _ spot: Reading.Spot, _ reading: inout Reading
    ) -> Secret? {
        guard case .mapping = node.content else {
            return reading.text(node, spot, a: "a text").map { Secret($0) }
        }
        let remedy = "write {file: PATH}, {credential: NAME} or {env: NAME}"
        guard let entries = reading.entries(node, spot, a: "a secret"), entries.count == 1,
            let entry = entries.first
        else {
            reading.refuse(node, "\(spot.key) is a mapping of not one key", remedy: remedy)
            return nil
        }
        if reading.isKept, entry.key == leftOut { return Secret(nil) }
        let keys = ["file", "credential", "env"]
        guard keys.contains(entry.key) else {
            reading.refuseSecretKey(entry, spot, among: keys, remedy: remedy)
            return nil
        }
        let inner = Reading.Spot(key: "\(spot.key) \(entry.key)", example: remedy)
        guard let name = reading.text(entry.value, inner, a: "a text") else { return nil }
        return resolve(entry, name, spot, &reading)
    }

    private static func resolve(
        _ entry: YAMLEntry, _ name: String, _ spot: Reading.Spot, _ reading: inout Reading
    ) -> Secret? {
        let origin: Secret.Origin
        switch entry.key {
        case "file": origin = .file(reading.resolved(path: name))
        case "credential":
            // It is the name of a file in one folder.
            guard !name.utf8.contains(UInt8(ascii: "/")), name != "..", name != "." else {
                reading.refuse(
                    entry.value, "\(Quoted.shown(name)) is no name of a credential",
                    remedy: "write a name without \"/\"")
                return nil
            }
            origin = .credential(name)
            if !reading.surroundings.readsCredentials { return Secret(nil, origin: origin) }
        default: origin = .environment(name)
        }
        switch reading.surroundings.secret(origin) {
        case .success(let value): return Secret(value, origin: origin)
        case .failure(let error):
            // A kept definition tells by `missingSecrets`.
            if !reading.isKept { reading.refuse(entry.value, spot, error) }
            return reading.isKept ? Secret(nil, origin: origin) : nil
        }
    }

    private static func write(
        _ secret: Secret, _ writing: Writing, isPublic: (String) -> Bool
    ) -> String {
        let written: String
        switch secret.origin {
        case .literal:
            if let value = secret.reveal(), isPublic(value) { return Quoted.whole(value) }
            written = "{\(leftOut): true}"
        case .file(let path): written = "{file: \(Quoted.whole(path))}"
        case .credential(let name): written = "{credential: \(Quoted.whole(name))}"
        case .environment(let name): written = "{env: \(Quoted.whole(name))}"
        }
        guard writing == .comparing, let value = secret.reveal() else { return written }
        return written + " \(Fingerprint.trace(of: value))"
    }

    /// What a program calls itself is no secret.
    static let userAgent = secret(isPublic: { _ in true })

    /// A proxy's URL, which may hold a password.
    static let proxy = secret(
        type: "URL or secret", isPublic: { !$0.utf8.contains(UInt8(ascii: "@")) },
        check: { text in
            let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
            let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
            let isKnown = parts.count < 2 || schemes.contains(parts[0].lowercased())
            guard isKnown, !text.contains(where: \.isWhitespace), parts.last?.isEmpty == false
            else {
                return ValueError(
                    "is no proxy's URL", remedy: "write http://HOST:PORT or socks5h://HOST:PORT")
            }
            return nil
        })
}

extension Form<[TargetSettings.Header]> {
    private static let most = 100

    /// Header lines by name.
    static let headers = Form(
        type: "mapping of names to texts or secrets",
        read: { node, spot, reading in
            guard let entries = reading.entries(node, spot, a: "a mapping") else { return nil }
            guard entries.count <= most else {
                reading.refuse(
                    node, "headers has \(entries.count) entries", remedy: "write \(most) or fewer")
                return nil
            }
            var names: Set<String> = []
            for entry in entries where !names.insert(entry.key.lowercased()).inserted {
                reading.mistakes.add(
                    at: entry.position, "the header \(Quoted.shown(entry.key)) stands here twice",
                    remedy: "take one of the two out; case does not matter in their names")
            }
            let headers = entries.compactMap { read($0, &reading) }
            return headers.count == entries.count ? headers : nil
        },
        write: { headers, writing in
            let lines = headers.map { header in
                let value = value(of: header.name).write(header.value, writing)
                return "\(Quoted.whole(header.name)): \(value)"
            }
            return "{" + lines.joined(separator: ", ") + "}"
        })

    private static func read(
        _ entry: YAMLEntry, _ reading: inout Reading
    ) -> TargetSettings.Header? {
        guard !entry.key.isEmpty, entry.key.utf8.allSatisfy(isTokenByte) else {
            // Behind a colon there may be a secret: the whole line was written as the name.
            let colon = entry.key.firstIndex(of: ":")
            let shown = Quoted.shown(String(entry.key[..<(colon ?? entry.key.endIndex)]))
            let remedy =
                colon == nil
                ? "write a name such as Accept-Language" : "write \(shown): and the value behind it"
            reading.mistakes.add(
                at: entry.position,
                colon == nil
                    ? "\(shown) is no header's name" : "a header's name ends before the colon",
                remedy: remedy)
            return nil
        }
        let spot = Reading.Spot(key: "header \(entry.key)", example: "a text, or {file: PATH}")
        guard let value = value(of: entry.key).read(entry.value, spot, &reading) else { return nil }
        return .init(name: entry.key, value: value)
    }

    private static func value(of name: String) -> Form<Secret> {
        .secret(isPublic: { _ in !isSensitive(name) })
    }

    /// Whether what follows the name is likely a secret.
    private static func isSensitive(_ name: String) -> Bool {
        let name = name.lowercased().utf8
        let signs: [StaticString] = [
            "auth", "cookie", "key", "token", "secret", "password", "session", "signature",
        ]
        return signs.contains { sign in
            sign.withUTF8Buffer { sign in
                name.indices.contains { name[$0...].starts(with: sign) }
            }
        }
    }

    /// RFC 9110's tchar.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension Form<TargetSettings.BasicAuth> {
    static let basicAuth = Form(
        type: "`{user: …, password: …}`, each a text or secret",
        read: { node, spot, reading in
            guard
                let parts = reading.parts(
                    node, spot, required: ["user", "password"], optional: [])
            else { return nil }
            var user: Secret?
            var password: Secret?
            if let node = parts["user"] { user = name.read(node, spot, &reading) }
            if let node = parts["password"] {
                password = Form<Secret>.secret().read(node, spot, &reading)
            }
            guard let user, let password else { return nil }
            return .init(user: user, password: password)
        },
        write: { auth, writing in
            let secret = Form<Secret>.secret()
            return "{user: \(name.write(auth.user, writing)),"
                + " password: \(secret.write(auth.password, writing))}"
        })

    // Without its password a name opens nothing, and with `{file: …}` for that it can be kept.
    private static let name = Form<Secret>.secret(
        isPublic: { _ in true },
        check: { text in
            guard text.utf8.contains(UInt8(ascii: ":")) else { return nil }
            return ValueError(
                "has a \":\" in the user's name, which Basic can't send",
                remedy: "write another name")
        })
}

extension Form<TargetSettings.ClientCertificate> {
    static let clientCertificate = Form(
        type: "path of a file, or `{certificate: …, key: …, password: …}`",
        read: { node, spot, reading in
            let path = Form<String>.readableFile
            guard case .mapping = node.content else {
                return path.read(node, spot, &reading).map { .init(certificate: $0) }
            }
            guard
                let parts = reading.parts(
                    node, spot, required: ["certificate"], optional: ["key", "password"]),
                let certificate = parts["certificate"].flatMap({ path.read($0, spot, &reading) })
            else { return nil }
            var value = TargetSettings.ClientCertificate(certificate: certificate)
            if let node = parts["key"] {
                guard let key = path.read(node, spot, &reading) else { return nil }
                value.key = key
            }
            if let node = parts["password"] {
                guard let password = Form<Secret>.secret().read(node, spot, &reading) else {
                    return nil
                }
                value.password = password
            }
            return value
        },
        write: { value, writing in
            var text = "{certificate: \(Quoted.whole(value.certificate))"
            if let key = value.key { text += ", key: \(Quoted.whole(key))" }
            if let password = value.password {
                text += ", password: \(Form<Secret>.secret().write(password, writing))"
            }
            return text + "}"
        })
}

extension Reading {
    /// Tells of a key where a secret is written. What is no misspelt name may be the secret itself,
    /// and is not shown.
    fileprivate mutating func refuseSecretKey(
        _ entry: YAMLEntry, _ spot: Spot, among names: [String], remedy: String
    ) {
        if nearest(to: entry.key, among: names) != nil {
            return refuseKey(entry, of: spot.key, among: names, else: remedy)
        }
        mistakes.add(
            at: entry.position,
            "\(spot.key) has a key that is none of \(names.joined(separator: ", "))",
            remedy: remedy)
    }

    /// The parts of a value that is a small mapping; nil if some are missing or unknown.
    mutating func parts(
        _ node: YAMLNode, _ spot: Spot, required: [String], optional: [String]
    ) -> [String: YAMLNode]? {
        guard let entries = entries(node, spot, a: "a mapping") else { return nil }
        var parts: [String: YAMLNode] = [:]
        var isWhole = true
        for entry in entries {
            if (required + optional).contains(entry.key) {
                parts[entry.key] = entry.value
            } else {
                refuseSecretKey(
                    entry, spot, among: required + optional, remedy: "write \(spot.example)")
                isWhole = false
            }
        }
        for name in required where parts[name] == nil {
            refuse(node, "\(spot.key) has no \(name)", remedy: "write \(spot.example)")
            isWhole = false
        }
        return isWhole ? parts : nil
    }
}

import Glibc
import Patterns
import Titles

/// What configurations name and do not hold: files with secrets, variables, patterns, encodings.
///
/// Each is looked at once, however many targets name it. One thread at a time may use it.
final class Surroundings {
    /// Bytes of a file with a secret.
    private static let mostSecretBytes = 64 << 10

    /// Whether credentials are looked up: outside of the service there are none.
    let readsCredentials: Bool
    private var secrets: [Secret.Origin: Result<String, ValueError>] = [:]
    private var files: [String: ValueError?] = [:]
    private var patterns: [String: ValueError?] = [:]
    private var encodings: [String: Bool] = [:]
    /// How often something was asked for that may be another thing next time.
    private(set) var lookups = 0

    init(readsCredentials: Bool) { self.readsCredentials = readsCredentials }

    /// The value of a secret that does not stand in the configuration.
    func secret(_ origin: Secret.Origin) -> Result<String, ValueError> {
        lookups += 1
        if let known = secrets[origin] { return known }
        let found: Result<String, ValueError>
        do throws(ValueError) {
            found = .success(try Self.read(origin))
        } catch {
            found = .failure(error)
        }
        secrets[origin] = found
        return found
    }

    private static func read(_ origin: Secret.Origin) throws(ValueError) -> String {
        switch origin {
        case .literal: throw ValueError("is not known", remedy: "write it anew")
        case .file(let path): return try text(ofFile: path)
        case .environment(let name):
            guard let value = getenv(name) else {
                throw ValueError(
                    "names the variable \(Quoted.shown(name)), which is not set",
                    remedy: "set it where the service is started")
            }
            return String(cString: value)
        case .credential(let name):
            guard let folder = getenv("CREDENTIALS_DIRECTORY") else {
                throw ValueError(
                    "names the credential \(Quoted.shown(name)), but there are none",
                    remedy: "set LoadCredential=\(Quoted.escaped(name)):PATH in the unit")
            }
            return try text(ofFile: String(cString: folder) + "/" + name)
        }
    }

    private static func text(ofFile path: String) throws(ValueError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try WholeFile.read(path, atMost: mostSecretBytes)
        } catch {
            throw ValueError(
                "is to come from \(Quoted.shown(path)), which \(error.words)",
                remedy: "put the secret there, readable for the service",
                isPassing: error.isPassing)
        }
        var rest = bytes[...]
        if rest.last == UInt8(ascii: "\n") { rest = rest.dropLast() }
        if rest.last == UInt8(ascii: "\r") { rest = rest.dropLast() }
        guard let text = String(validating: rest, as: UTF8.self) else {
            throw ValueError(
                "is to come from \(Quoted.shown(path)), which is no UTF-8", remedy: "write text")
        }
        guard !text.isEmpty else {
            throw ValueError(
                "is to come from \(Quoted.shown(path)), which is empty",
                remedy: "put the secret there")
        }
        return text
    }

    /// What is wrong with a file that is to be read later.
    func problem(withFile path: String) -> ValueError? {
        lookups += 1
        if let known = files[path] { return known }
        var problem: ValueError?
        if access(path, R_OK) != 0 {
            problem = ValueError(
                "\(Quoted.shown(path)) can't be read: \(WholeFile.message(errno))",
                remedy: "put the file there, readable for the service")
        }
        files[path] = .some(problem)
        return problem
    }

    /// What is wrong with a pattern.
    func problem(withPattern source: String) -> ValueError? {
        if let known = patterns[source] { return known }
        var problem: ValueError?
        do {
            _ = try Pattern(source)
        } catch {
            let place =
                error.offset == source.count ? "at its end" : "at character \(error.offset + 1)"
            problem = ValueError(
                "\(Quoted.shown(source)) is not a pattern, \(place): \(error.message)",
                remedy: error.remedy ?? "see pcre2pattern(3)")
        }
        patterns[source] = .some(problem)
        return problem
    }

    /// Whether the Encoding standard has that label.
    func isEncoding(label: String) -> Bool {
        if let known = encodings[label] { return known }
        let isKnown = Encoding(label: label) != nil
        encodings[label] = isKnown
        return isKnown
    }
}

import Glibc
import Testing

@testable import WebAddress

@Suite struct `A typed address` {
    @Test(arguments: [
        ("http://example.org", "http://example.org/"),
        ("HTTP://EXAMPLE.org:80/A", "http://example.org/A"),
        ("https://example.org:443/?q=1", "https://example.org/?q=1"),
        ("https://example.org:8443/a/../b/./c", "https://example.org:8443/b/c"),
        ("http://example.org/ä?ö#ü", "http://example.org/%C3%A4?%C3%B6#%C3%BC"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://example.org/%zz%", "http://example.org/%zz%"),
        ("http://user:secret@example.org/x", "http://example.org/x"),
        ("http:///example.org/x", "http://example.org/x"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http:/example.org/x", "http://example.org/x"),
        ("http:example.org/x", "http://example.org/x"),
        ("http:\\\\example.org\\x?a\\b", "http://example.org/x?a\\b"),
        ("http:////user:secret@example.org/@x", "http://example.org/@x"),
        ("http://example.org/a/%2e%2E/b/%2e/.%2e/c%2e", "http://example.org/c%2e"),
        ("http://example.org?a=b", "http://example.org/?a=b"),
        ("http://example.org/a{b}?{c}", "http://example.org/a%7Bb%7D?{c}"),
    ])
    func `is shown as a browser shows it`(typed: String, shown: String) throws {
        // libidn2 takes the locale's character set; the program sets the same at its start.
        setlocale(LC_CTYPE, "C.UTF-8")
        #expect(try WebAddress(typed).text == shown)
    }

    @Test(arguments: [
        ("", "is empty"),
        ("example.org", "has no scheme"),
        ("localhost:8080/", "has no scheme"),
        ("http://", "has no host"),
        ("http://exa mple.org/", "holds a space"),
        ("http://example.org/a b", "holds a space"),
        ("http://example.org/\u{1}", "holds a control character"),
        ("http://example.org/\n", "holds a control character"),
        ("http://example.org:0/", "port"),
        ("http://example.org:65536/", "port"),
        ("http://example.org:x/", "port"),
        ("http://[::1/", "IPv6"),
        ("http://[zz]/", "IPv6"),
        ("http://ho%zzst/", "host"),
    ])
    func `that cannot be loaded is refused with the reason`(typed: String, reason: String) throws {
        let error = #expect(throws: WebAddressError.self) { try WebAddress(typed) }
        #expect(error?.code == .malformedURL)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://example.org/", "javascript:alert(1)", "gopher://x/",
    ])
    func `of another scheme is refused by its name`(typed: String) throws {
        let error = #expect(throws: WebAddressError.self) { try WebAddress(typed) }
        #expect(error?.code == .unsupportedScheme)
        let scheme = String(typed.prefix { $0 != ":" })
        #expect(error?.message.contains("is a \(scheme): URL") == true)
    }

    @Test(arguments: [
        "http://name:secret@example.org:0/", "ftp://name:secret@example.org/",
        "http://name:secret@exa mple/", "name:secret@example.org", "http:///name:secret@h:0/",
        "http:/name:secret@h:0/", "http:name:secret@h:0/", "http:\\\\name:secret@h:0\\",
        "http:\\/name:secret@h:0", "http://name:se/secret@h/", "http://name:se#secret@h/",
        "http://name:se?secret@h/", "//name:secret@h/", "http://name:a@secret@b@h:0/",
        "htp:/name:secret@h/", "http://name:s e/secret@h/", "mailto:name:secret@h",
    ])
    func `never shows its password in an error`(typed: String) throws {
        let error = #expect(throws: WebAddressError.self) { try WebAddress(typed) }
        #expect(error?.message.contains("secret") == false, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("http:///user:secret@h/", "http:///h/"), ("http:\\user:secret@h/", "http:\\h/"),
        ("http://user:secret@h/@x", "http://h/@x"), ("http://h/user:x@y", "http://h/user:x@y"),
        ("http://user:se/secret@h/", "http://h/"), ("http://h:0/@x", "http://x"),
    ])
    func `is shown as it was given, but for its user information`(typed: String, shown: String) {
        #expect(WebAddress.withoutUserInformation(typed) == shown)
    }

    @Test(arguments: [
        ("htp://x/", "http"), ("hhtps://x/", "https"), ("ttps://x/", "https"),
        ("htttp://x/", "http"), ("httpss://x/", "https"), ("htpps:/x/", "https"),
    ])
    func `of a scheme that is almost right is told the right one`(
        typed: String, scheme: String
    ) throws {
        let error = #expect(throws: WebAddressError.self) { try WebAddress(typed) }
        #expect(error?.code == .unsupportedScheme)
        #expect(error?.message.hasSuffix("URL (did you mean \(scheme):?)") == true)
    }

    @Test(arguments: ["ftp://x/", "smtp://x/", "file:///x", "tcp://x/"])
    func `of another scheme is not told that it was mistyped`(typed: String) throws {
        let error = #expect(throws: WebAddressError.self) { try WebAddress(typed) }
        #expect(error?.message.contains("only http: and https:") == true)
    }

    @Test func `keeps its user information apart, decoded`() throws {
        let address = try WebAddress("http://us%20er:p%40ss@example.org/")
        #expect(address.credentials == .init(user: "us er", password: "p@ss"))
    }
}

@Suite struct `A reference` {
    @Test(arguments: [
        ("/x?y=1&z=2", "http://example.org/x?y=1&z=2"),
        ("x", "http://example.org/a/x"),
        ("../x", "http://example.org/x"),
        ("?q", "http://example.org/a/b?q"),
        ("//other.example/x", "http://other.example/x"),
        ("https://other.example", "https://other.example/"),
        ("  /x\t\n ", "http://example.org/x"),
        ("\\x\\y?a\\b", "http://example.org/x/y?a\\b"),
        ("/ü", "http://example.org/%C3%BC"),
        ("/a b", "http://example.org/a%20b"),
        ("HTTPS://OTHER.example/", "https://other.example/"),
        ("http:/shown", "http://example.org/shown"),
        ("HTTP:shown", "http://example.org/a/shown"),
        ("http:", "http://example.org/a/b?c=d"),
        ("http:a:b", "http://example.org/a/a:b"),
        ("http:?q", "http://example.org/a/b?q"),
        ("https:/other.example/x", "https://other.example/x"),
        ("https:other.example", "https://other.example/"),
        ("http:///other.example/x", "http://other.example/x"),
        ("///other.example/x", "http://other.example/x"),
        ("%2e%2e/x", "http://example.org/x"),
        ("x/%2E/y?%2e/z", "http://example.org/a/x/y?%2e/z"),
    ])
    func `resolves as in a browser`(reference: String, url: String) throws {
        let base = try WebAddress("http://example.org/a/b?c=d")
        #expect(try base.resolving(reference.utf8).text == url)
    }

    @Test func `with bytes that are no UTF-8 has them encoded one by one`() throws {
        let base = try WebAddress("http://example.org/")
        let resolved = try base.resolving([UInt8(ascii: "/"), 0xE9, 0xFF])
        #expect(resolved.text == "http://example.org/%E9%FF")
    }

    @Test func `inherits the fragment unless it has one`() throws {
        let base = try WebAddress("http://example.org/#part")
        #expect(try base.resolving("/x".utf8).text == "http://example.org/x#part")
        #expect(try base.resolving("/x#other".utf8).text == "http://example.org/x#other")
    }

    @Test func `to another scheme is refused`() throws {
        let base = try WebAddress("http://example.org/")
        for reference in ["file:///etc/passwd", "ftp://x/", "data:text/html,x"] {
            let error = #expect(throws: WebAddressError.self) { try base.resolving(reference.utf8) }
            #expect(error?.code == .unsupportedScheme)
        }
    }

    @Test func `to another origin takes no user information along`() throws {
        let base = try WebAddress("http://user:secret@example.org/")
        let other = try base.resolving("http://other.example/".utf8)
        #expect(other.credentials == nil)
        #expect(!other.isSameOrigin(as: base))
        #expect(try base.resolving("/x".utf8).isSameOrigin(as: base))
    }
}

@Suite struct `A host` {
    @Test(arguments: [
        "http://127.0.0.1/", "https://127.8.9.1:1/", "http://[::1]/", "http://localhost/",
    ])
    func `that is this machine is known by its name`(url: String) throws {
        #expect(try WebAddress(url).isLoopback)
    }

    @Test(arguments: ["http://128.0.0.1/", "http://127.example/", "http://[::2]/", "http://local/"])
    func `that is any other is not`(url: String) throws {
        #expect(try !WebAddress(url).isLoopback)
    }
}

import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15)), .needsNginx) struct `A test's own nginx` {
    private func curl(_ arguments: String...) async throws -> Program.Outcome {
        try await Program("curl", ["-sS", "-m", "20"] + arguments).run()
    }

    @Test func `speaks HTTP/2 over TLS in front of the loopback site`() async throws {
        let site = try await LoopbackSite.start()
        let nginx = try await Nginx.start(.init(.proxy(port: site.port), http2: true))
        let outcome = try await curl(
            "--cacert", nginx.certificates.authority, "-w", " %{http_version}",
            nginx.url("/page?title=Through"))
        #expect(outcome.outputText == "<!DOCTYPE html><title>Through</title> 2")
        nginx.stop()
        await site.stop()
    }

    @Test(arguments: Certificates.Kind.allCases)
    func `shows the certificate that is asked for`(kind: Certificates.Kind) async throws {
        let nginx = try await Nginx.start(.init(.lines("return 200 hi;"), certificate: kind))
        let authority = nginx.certificates.authority
        let outcome = try await curl("--cacert", authority, nginx.url())
        #expect(outcome.exitCode == (kind == .good ? 0 : 60), "\(outcome.errorText)")
        let insecure = try await curl("-k", nginx.url(host: "localhost"))
        #expect(insecure.outputText == "hi")
        nginx.stop()
    }

    @Test func `refuses TLS versions, and serves a folder without TLS`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("<title>File</title>", to: "index.html")
        var old = Nginx.Server(.folder(folder.path))
        old.versions = ["TLSv1.2"]
        let plain = Nginx.Server(.folder(folder.path), certificate: nil)
        let nginx = try await Nginx.start(old, plain)
        let refused = try await curl("-k", "--tlsv1.3", nginx.url())
        #expect(refused.exitCode == 35)
        #expect(try await curl("-k", nginx.url()).outputText == "<title>File</title>")
        #expect(try await curl(nginx.url(server: 1)).outputText == "<title>File</title>")
        nginx.stop()
    }
}

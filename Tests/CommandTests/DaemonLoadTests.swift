import LoopbackSite
import TestSupport
import Testing

/// What a target's loads do beyond those of a check.
@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A load of a watched page` {
    private func watch(
        _ site: LoopbackSite, _ target: String, defaults: String = "confirm: 1"
    ) async throws -> WatchedFolder {
        let watched = try WatchedFolder()
        try watched.configure(
            defaults, "p: {\(target.replacing("SITE", with: site.url("")))}")
        return watched
    }

    @Test func `is asked for changes only, and its title stays while there are none`() async throws
    {
        let site = try await LoopbackSite.playing(
            """
            serve /p
            when If-None-Match: "one"
            head 304
            header ETag: "one"
            serve /p
            head 200 text/html
            header ETag: "one"
            text <title>Same</title>
            """)
        let watched = try await watch(site, "url: \"SITE/p\"")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"Same\"")
        try await site.waitForRequest("/p", number: 4)
        try await daemon.end()
        let requests = await site.requests(for: "/p")
        #expect(requests[0].header("If-None-Match") == nil)
        #expect(requests[1].header("If-None-Match") == "\"one\"")
        #expect(requests[2].header("If-None-Match") == "\"one\"")
        #expect(try watched.story(of: "p") == ["firstSeen \"Same\""])
        await site.stop()
    }

    @Test func `that answers with a challenge has failed, whatever its status`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /p
            times 1
            head 200 text/html
            text <title>Shop</title>
            serve /p
            head 200 text/html
            header cf-mitigated: challenge
            text <title>Just a moment...</title>
            """)
        let watched = try await watch(site, "url: \"SITE/p\"", defaults: "confirm: 1, failures: 1")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"Shop\"")
        try await daemon.wait(for: "p: failing: content: challenged")
        try await daemon.end()
        await site.stop()
    }

    // B07, B26: the server's label comes and goes, the bytes stay.
    @Test func `that is labelled otherwise has another encoding, not another title`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /p
            times 1
            head 200 text/html; charset=utf-8
            hex 3c7469746c653ec3a43c2f7469746c653e
            serve /p
            head 200 text/html
            hex 3c7469746c653ec3a43c2f7469746c653e
            """)
        let watched = try await watch(site, "url: \"SITE/p\"")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"ä\"")
        try await daemon.wait(for: "p: encoding changed")
        try await daemon.end()
        #expect(try watched.events(of: "p").count == 2)
        await site.stop()
    }

    @Test func `keeps its cookies only if it is told to`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /{page}
            head 200 text/html
            header Set-Cookie: seen=1; Path=/
            text <title>Page</title>
            """)
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1", "keeps: {url: \"\(site.url("/keeps"))\", cookies: true}",
            "forgets: {url: \"\(site.url("/forgets"))\"}")
        let daemon = try watched.start()
        try await site.waitForRequest("/keeps", number: 2)
        try await site.waitForRequest("/forgets", number: 2)
        try await daemon.end()
        #expect(await site.requests(for: "/keeps")[1].header("Cookie") == "seen=1")
        #expect(await site.requests(for: "/forgets")[1].header("Cookie") == nil)
        await site.stop()
    }

    @Test func `may itself be the redirect`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /p
            head 302 text/html
            header Location: /elsewhere
            text <title>Moved</title>
            serve /elsewhere
            head 200 text/html
            text <title>Elsewhere</title>
            """)
        let watched = try await watch(site, "url: \"SITE/p\", follow_redirects: false")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"Moved\"")
        try await daemon.end()
        #expect(await site.requests(for: "/elsewhere").isEmpty)
        await site.stop()
    }

    @Test func `is left alone for as long as its server asks`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /busy
            head 503 text/html
            header Retry-After: 60
            text busy
            serve /other
            head 200 text/html
            text <title>Other</title>
            """)
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1, retry_interval: 1s", "busy: {url: \"\(site.url("/busy"))\"}",
            "other: {url: \"\(site.url("/other"))\"}")
        let daemon = try watched.start()
        try await site.waitForRequest("/other", number: 4)
        try await daemon.end()
        #expect(await site.requests(for: "/busy").count == 1)
        await site.stop()
    }
}

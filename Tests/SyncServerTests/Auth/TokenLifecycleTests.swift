import Postgres
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// When tokens end, and what is known of their use.
@Suite struct TokenLifecycleTests {
    private func token(_ server: TestServer, expires: String? = nil) async throws -> String {
        let secret = try await server.makeToken(spaces: [server.space], subject: "ada")
        if let expires {
            try await server.database.run(
                """
                UPDATE sync.token SET expires_at = now() + interval '\(expires)'
                WHERE secret_hash = sha256(convert_to('\(secret)', 'UTF8'))
                """)
        }
        return "Bearer \(secret)"
    }

    private func grant(_ header: String, _ authenticator: Authenticator) async throws -> Grant? {
        switch authenticator.identity(authorization: header) {
        case .known(let bearer): bearer.grant
        case .unknown: nil
        case .unclear(let token): try await authenticator.lookUp(token, from: "network")?.grant
        }
    }

    private func isKnown(_ header: String, _ authenticator: Authenticator, at now: ContinuousClock.Instant) -> Bool {
        if case .known = authenticator.identity(authorization: header, now: now) { true } else { false }
    }

    @Test func aTokenThatHasEndedIsRefused() async throws {
        try await withTestServer { server in
            for (expires, status) in [("1 hour", 200), ("-1 second", 401)] {
                let header = try await token(server, expires: expires)
                #expect(try await server.send("GET", changing: ["Authorization": header]).status == status)
            }
        }
    }

    @Test func noTokenIsRememberedBeyondItsEnd() async throws {
        try await withTestServer { server in
            let authenticator = Authenticator(pool: server.service.pool, apps: [])
            let (ending, lasting) = (try await token(server, expires: "4 seconds"), try await token(server))
            for header in [ending, lasting] { #expect(try await grant(header, authenticator) != nil) }
            let now = ContinuousClock.now
            #expect(isKnown(ending, authenticator, at: now))
            // Younger than what is otherwise remembered.
            #expect(!isKnown(ending, authenticator, at: now + .seconds(4)))
            #expect(isKnown(lasting, authenticator, at: now + .seconds(4)))
        }
    }

    @Test func aStreamEndsWithItsToken() async throws {
        try await withTestServer { server in
            let secret = try await server.makeToken(spaces: [server.space], subject: "ada")
            let reader = try await server.listen(token: secret)
            #expect(try await reader.next() == 0)
            try await server.administer("UPDATE sync.token SET expires_at = now() WHERE subject = 'ada'")
            try await server.service.reviewEvents()
            #expect(await reader.ends())
        }
    }

    @Test func anHoursUseIsOneWrite() async throws {
        try await withTestServer { server in
            let header = try await token(server)
            func use() async throws -> Int64 {
                // One that remembers nothing, as another server's.
                let authenticator = Authenticator(pool: server.service.pool, apps: [])
                #expect(try await grant(header, authenticator) != nil)
                return try await authenticator.noteUses()
            }
            #expect(try await use() == 1)
            #expect(try await use() == 0)
            try await server.administer(
                "UPDATE sync.token SET last_used_at = now() - interval '61 minutes' WHERE subject = 'ada'")
            #expect(try await use() == 1)
            // Uses that two servers report at the same time are written once.
            let hash = Secret(presented: String(header.dropFirst("Bearer ".count))).hash
            let again = try await server.service.pool.withSession { session in
                try await TokenStore.noteUses(of: [hash], session)
            }
            #expect(again == 0)
        }
    }

    @Test func idsAreReadAsTheyAreWritten() {
        let hash = Secret().hash
        let id = TokenID(ofHash: hash)
        #expect(TokenID("\(id)") == id && "\(id)".utf8.count == 16)
        #expect(id.hashes.first.lexicographicallyPrecedes(hash) && hash.lexicographicallyPrecedes(id.hashes.last))
        for text in ["", "0123456789abcde", "0123456789abcdeg", "0123456789abcdef0", "٠١٢٣456789abcdef"] {
            #expect(TokenID(text) == nil)
        }
    }
}

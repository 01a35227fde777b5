import HTTPServer
import SyncTestSupport
import Testing
import WireFormats

@testable import OpenID

/// The fetching of an issuer's keys, and the outcome for tokens while they cannot be fetched.
@Suite struct IssuerKeysTests {
    private static let first = SigningKey("ES256", id: "first")
    private static let second = SigningKey("ES256", id: "second")

    private func withIssuer(
        _ entry: [String: JSONValue] = [:], _ body: (TestIssuer, IssuerKeys) async throws -> Void
    ) async throws {
        let issuer = try TestIssuer([IssuerKeysTests.first])
        do {
            try await body(issuer, IssuerKeys(try issuer.file(entry).issuers[0]))
        } catch {
            await issuer.stop()
            throw error
        }
        await issuer.stop()
    }

    private func isKnown(
        _ id: String, _ keys: IssuerKeys, at now: ContinuousClock.Instant = .now
    ) async throws -> Bool {
        try await keys.key(id: ExactText(id), for: .es256, now: now) != nil
    }

    @Test func aNewKeyIsFoundWhileServing() async throws {
        try await withIssuer { (issuer, keys) async throws in
            #expect(try await isKnown("first", keys))
            issuer.publish([IssuerKeysTests.first, IssuerKeysTests.second])
            let later = ContinuousClock.now + .seconds(61)
            #expect(try await isKnown("second", keys, at: later))
            #expect(try await isKnown("first", keys, at: later))
            // A key that the issuer withdrew is dropped with the next fetch.
            issuer.publish([IssuerKeysTests.second])
            #expect(await keys.refresh() == nil)
            #expect(try await isKnown("second", keys))
            #expect(try await !isKnown("first", keys, at: later + .seconds(61)))
        }
    }

    /// Tokens with unknown keys cause at most one fetch per minute. Meanwhile the response says that the key is not
    /// known yet, because the key of an honest client may be new.
    @Test func unknownKeysHaveTheIssuerAskedOnceAMinute() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let start = ContinuousClock.now
            #expect(try await isKnown("first", keys, at: start))
            for number in 0..<50 {
                let failure = await #expect(throws: KeysUnavailable.self) {
                    try await self.isKnown("made up \(number)", keys, at: start + .seconds(number))
                }
                let pause = failure?.retryAfter ?? .zero
                #expect(pause <= .seconds(60) && pause > .zero)
            }
            #expect(issuer.requests.keys == 1)
            #expect(try await !isKnown("made up", keys, at: start + .seconds(61)))
            #expect(issuer.requests.keys == 2)
        }
    }

    @Test func manyThatWaitHaveItAskedOnce() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let found = try await withThrowingTaskGroup { group in
                for _ in 0..<100 { group.addTask { try await self.isKnown("first", keys) } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(found == 100 && issuer.requests.keys == 1)
        }
    }

    @Test func keysAreUsedOnWhileTheIssuerIsDown() async throws {
        let issuer = try TestIssuer([IssuerKeysTests.first])
        let keys = IssuerKeys(try issuer.file().issuers[0])
        #expect(try await isKnown("first", keys))
        await issuer.stop()
        #expect(await keys.refresh() != nil)
        #expect(try await isKnown("first", keys))
        let status = keys.status()
        #expect(status.keys == 1 && status.failures == 1 && status.failure != nil)
        // It cannot be decided whether this token is valid.
        await #expect(throws: KeysUnavailable.self) {
            try await self.isKnown("second", keys, at: .now + .seconds(61))
        }
    }

    @Test func withoutKeysItIsTriedAgainEveryFewSeconds() async throws {
        try await withIssuer { (issuer, keys) async throws in
            issuer.answerKeys(with: HTTPResponse(status: 500))
            let start = ContinuousClock.now
            for seconds in 0..<10 {
                await #expect(throws: KeysUnavailable.self) {
                    try await self.isKnown("first", keys, at: start + .seconds(seconds))
                }
            }
            #expect(issuer.requests.keys == 2)
            issuer.answerKeys(with: nil)
            #expect(try await isKnown("first", keys, at: start + .seconds(11)))
        }
    }

    @Test func whatIsNoKeySetIsRefusedWithItsReason() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let elsewhere = try TestIssuer([IssuerKeysTests.second])
            let answers: [(HTTPResponse, String)] = [
                // A server that may redirect the fetch could direct it anywhere.
                (HTTPResponse(status: 302, headers: ["Location": "\(elsewhere.name)/keys"]), "302"),
                (HTTPResponse(status: 200, body: Array("<html>".utf8)), "Key Set"),
                (HTTPResponse(status: 200, body: [UInt8](repeating: 0x20, count: Download.sizeMaxBytes + 1)), "larger"),
                (HTTPResponse(status: 200, body: Array(#"{"keys": []}"#.utf8)), "no key"),
                (HTTPResponse(status: 204), "204"), (HTTPResponse(status: 404), "404"),
            ]
            for (answer, reason) in answers {
                issuer.answerKeys(with: answer)
                let failure = await keys.refresh()
                #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "none")")
            }
            #expect(elsewhere.requests.keys == 0)
            await elsewhere.stop()
            issuer.answerKeys(with: nil)
            #expect(await keys.refresh() == nil)
            issuer.call(itself: "https://else.example")
            #expect(await keys.refresh()?.description.contains("another issuer") == true)
        }
    }

    @Test func keysAtAStatedAddressNeedNoConfiguration() async throws {
        let issuer = try TestIssuer([IssuerKeysTests.first])
        issuer.call(itself: "https://else.example")
        let keys = IssuerKeys(try issuer.file(["keys": .string("\(issuer.name)/keys")]).issuers[0])
        #expect(try await isKnown("first", keys))
        await issuer.stop()
    }

    @Test(arguments: [
        ("https://login.example", true), ("http://127.0.0.1:8080/keys", true), ("http://[::1]/", true),
        ("http://localhost:1/", true), ("http://login.example", false), ("http://127.0.0.1.example/", false),
        ("https://user:password@login.example", false), ("file:///etc/passwd", false), ("ftp://127.0.0.1/", false),
        ("gopher://127.0.0.1/", false), ("login.example", false), ("", false), ("https://", false),
    ])
    func addressesAreThoseWithTLSOrOfThisMachine(address: String, isAllowed: Bool) {
        #expect(Download.allows(address) == isAllowed)
    }
}

import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncClient

/// Responses with any status, as anything between a device and its server may send them. Only a problem of the
/// protocol, in its own form, stops a store or sets a change aside.
@Suite struct RefusalsOfOthersTests {
    /// The page of another program.
    private static let page = "<html><head><title>Sign in to the network</title></head><body>erased</body></html>"
    private static let statuses =
        Array(200...226) + Array(300...308) + Array(400...451) + Array(499...511) + [599, 999]

    @Test func aPageOfAProxyStopsNothing() async throws {
        try await expectPatience { status in LyingServer.answer(status, Self.page, type: "text/html") }
    }

    @Test func anEmptyAnswerStopsNothing() async throws {
        try await expectPatience { status in LyingServer.answer(status, "", type: "text/plain") }
    }

    @Test func aProblemThatTheProtocolDoesNotHaveStopsNothing() async throws {
        try await expectPatience { status in LyingServer.problem(status, "account-suspended") }
        try await expectPatience { status in LyingServer.problem(status, "") }
    }

    /// A response of a proxy that answers in JSON of its own.
    @Test(arguments: ["application/json", "text/html", "application/problem+xml", ""])
    func aProtocolsCodeInAnotherFormStopsNothing(_ type: String) async throws {
        try await expectPatience { status in
            LyingServer.answer(status, #"{"status":\#(status),"code":"\#(Self.code(status))"}"#, type: type)
        }
    }

    @Test func aProtocolsCodeWithAnotherStatusStopsNothing() async throws {
        for code in ["space-erased", "forbidden", "not-a-member", "version-retired", "outbox-closed", "quota-exceeded"]
        {
            try await expectPatience(sparing: Self.code) { LyingServer.problem($0, code, #","changes":[0]"#) }
        }
    }

    /// A problem of the protocol takes effect: it stops a store, or sets a change aside.
    @Test func theProtocolsWordCounts() async throws {
        try await Victim.with { victim in
            try await victim.write()
            let stops: [(Int, String, SyncAttention)] = [
                (410, "space-erased", .erased), (403, "not-a-member", .removed), (403, "forbidden", .forbidden("y")),
                (426, "version-retired", .updateApp(detail: "y", link: nil)), (507, "quota-exceeded", .full("y")),
                (409, "schema-unknown", .serverTooOld("y")), (401, "unauthenticated", .signIn),
            ]
            for (status, code, attention) in stops {
                guard case .failure(let error) = await victim.meet(LyingServer.problem(status, code)) else {
                    Issue.record("\(code) stopped nothing.")
                    continue
                }
                #expect((error as? SyncStopped)?.attention == attention, "\(code): \(error)")
                // No problem takes effect for ever.
                #expect((error as? SyncStopped)?.retryAfter != nil, "\(code)")
                try await victim.expectRecovery(code)
                try await victim.write()
            }
            await victim.meet { request in
                request.isPush ? .bytes(LyingServer.problem(413, "too-large")) : .truth
            }
            #expect(try await victim.store.conflicts().map(\.verdict) == [.unsendable])
        }
    }

    @Test(arguments: ["javascript:alert(1)", "file:///etc/passwd", String(repeating: "x", count: 10_000), "tel:1"])
    func aLinkThatIsNoPageIsNotGivenToTheApp(_ link: String) async throws {
        try await Victim.with { victim in
            let problem = LyingServer.problem(426, "version-retired", #","link":"\#(link)""#)
            guard case .failure(let stopped as SyncStopped) = await victim.meet(problem) else {
                Issue.record("An ended version does not stop.")
                return
            }
            #expect(stopped.attention == .updateApp(detail: "y", link: nil))
        }
    }

    /// A proxy may have a lower limit than the server: halves are sent, and a single change that is too large stays.
    @Test func aProxyThatTakesLittleLosesNothing() async throws {
        try await Victim.with { victim in
            for _ in 0..<40 { try await victim.write() }
            await victim.meet { request in
                request.bytes.count < 3_000 ? .truth : .bytes(LyingServer.answer(413, Self.page, type: "text/html"))
            }
            #expect(try await victim.store.pendingCount == 0)
            try await victim.expectRecovery("a proxy's 413")
        }
    }

    /// Returns the protocol's code for the status, if it has one.
    private static func code(_ status: Int) -> String {
        let codes = [
            400: "malformed", 401: "unauthenticated", 403: "forbidden", 404: "not-found", 405: "method-not-allowed",
            408: "timeout", 409: "outbox-closed", 410: "space-erased", 411: "length-required", 413: "too-large",
            415: "unsupported-media-type", 426: "version-retired", 429: "rate-limited", 431: "headers-too-large",
            500: "internal", 503: "overloaded", 505: "http-version-not-supported", 507: "quota-exceeded",
        ]
        return codes[status] ?? "space-erased"
    }

    /// Answers a device with each status, with a change in the outbox and without: it waits, keeps its records, and
    /// continues when the server is back.
    ///
    /// - Parameter spared: the code of the protocol for the status, which is not sent.
    private func expectPatience(
        sparing spared: ((Int) -> String)? = nil, _ answer: (Int) -> [UInt8]
    ) async throws {
        try await Victim.with { victim in
            for status in Self.statuses {
                let bytes = answer(status)
                if let spared, String(decoding: bytes, as: UTF8.self).contains("\"\(spared(status))\"") { continue }
                if spared != nil, [403, 409, 410].contains(status) { continue }
                if !status.isMultiple(of: 3) { try await victim.write() }
                let pending = try await victim.store.pendingCount
                guard case .failure(let error) = await victim.meet(bytes) else {
                    Issue.record("\(status) was taken for an answer.")
                    continue
                }
                #expect(error is SyncFailure, "\(status): \(error)")
                let seen = await victim.store.status
                let isOffline = if case .offline = seen { true } else { false }
                #expect(isOffline, "\(status): \(seen)")
                #expect(try await victim.store.pendingCount == pending, "\(status)")
                try await victim.expectNothingLost("\(status)")
                if status.isMultiple(of: 10) { try await victim.expectRecovery("\(status)") }
            }
            try await victim.expectRecovery("all")
        }
    }
}

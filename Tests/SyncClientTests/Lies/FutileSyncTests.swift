import Foundation
import SyncTestSupport
import Synchronization
import Testing
import WireFormats

@testable import SyncClient

/// Responses without progress: they end a run of syncing, so that a pause follows. No run continues for ever.
@Suite struct FutileSyncTests {
    /// The maximum number of requests, far below that of a loop in the remaining time.
    private static let requestsMax = 10

    @Test func moreFromTheSameCursorEndsARun() async throws {
        try await expectEnd { _ in .bytes(TrueBody().with("more", "true").answer) }
    }

    @Test func theSamePageAgainEndsARun() async throws {
        let record = TrueBody.record()
        try await expectEnd { _ in .bytes(TrueBody().with("changes", "[\(record)]").with("more", "true").answer) }
    }

    @Test func cursorsThatAlternateEndARun() async throws {
        let number = Atomic(0)
        try await expectEnd { _ in
            let (index, _) = number.add(1, ordering: .relaxed)
            return .bytes(
                TrueBody().with("cursor", #""C\#(index % 3)""#).with("changes", "[\(TrueBody.record())]")
                    .with("more", "true").answer)
        }
    }

    @Test func emptyPagesWithoutEndEndARun() async throws {
        let number = Atomic(0)
        try await expectEnd(requestsMax: SyncRun.emptyAnswersMax + 5) { _ in
            let (index, _) = number.add(1, ordering: .relaxed)
            return .bytes(TrueBody().with("cursor", #""C\#(index)""#).with("more", "true").answer)
        }
    }

    @Test(arguments: ["cursor-expired", "epoch-changed"])
    func aCursorThatIsTakenAwayEachTimeEndsARun(_ code: String) async throws {
        try await expectEnd { _ in .bytes(LyingServer.problem(410, code)) }
        // The same with a page in between.
        let number = Atomic(0)
        try await expectEnd { _ in
            let (index, _) = number.add(1, ordering: .relaxed)
            if index.isMultiple(of: 2) { return .bytes(LyingServer.problem(410, code)) }
            return .bytes(
                TrueBody().with("cursor", #""C\#(index)""#).with("changes", "[\(TrueBody.record())]")
                    .with("more", "true").answer)
        }
    }

    @Test func aCursorThatCannotBeReadEachTimeEndsARun() async throws {
        let number = Atomic(0)
        try await expectEnd { _ in
            let (index, _) = number.add(1, ordering: .relaxed)
            if index.isMultiple(of: 2) { return .bytes(LyingServer.problem(400, "malformed")) }
            return .bytes(TrueBody().with("cursor", #""C\#(index)""#).with("more", "true").answer)
        }
    }

    @Test func newTokensThatAreRefusedEachTimeEndARun() async throws {
        struct Untiring: SyncCredentials {
            func token(replacing refused: String?) -> String? { UUID().uuidString }
        }
        let liar = LyingServer()
        defer { liar.close() }
        liar.say(LyingServer.problem(401, "unauthenticated"))
        let folder = try TemporaryDirectory()
        let store = try SyncStore(
            at: URL(filePath: folder.path).appending(path: "store.sqlite"), schema: try EasitOpen200.schema(),
            endpoint: Shop.endpoint(port: liar.port, space: ID.random()), credentials: Untiring())
        _ = try? await store.syncOnce(deadline: .now + .seconds(5))
        #expect(liar.requests.count <= Self.requestsMax)
    }

    @Test func pausesGrowAndAnAnswerThatLeadsNowhereHasLonger() {
        for (isStalled, most) in [(false, 61.0), (true, 901.0)] {
            var pause = Backoff()
            var last = Duration.zero
            for _ in 0..<40 { last = pause.next(atLeast: nil, isStalled: isStalled) }
            #expect(last >= .seconds(most / 3) && last <= .seconds(most))
        }
        var pause = Backoff()
        for seconds in [Double.infinity, .nan, 1e30, -1, -.infinity] {
            #expect(pause.next(atLeast: seconds) <= .seconds(RetryPause.maxSeconds + 1))
        }
    }

    /// A stream with endless notifications does not make a device send endless requests, whatever the responses are.
    @Test(.timeLimit(.minutes(2)), arguments: ["nothing", "heads", "forbidden", "busy"])
    func aFloodOfEventsIsNoFloodOfPulls(_ manner: String) async throws {
        try await Victim.with { victim in
            let heads = (0..<20_000).map { "id: \($0)\nevent: head\n\n" }.joined()
            let number = Atomic(0)
            victim.liar.say { request in
                guard !request.isStream else {
                    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                    return .endless(Array(head.utf8), Array(heads.utf8))
                }
                switch manner {
                case "forbidden": return .bytes(LyingServer.problem(403, "forbidden"))
                case "busy": return .bytes(LyingServer.answer(500, "", type: "text/html"))
                case "heads":
                    let (head, _) = number.add(1, ordering: .relaxed)
                    return .bytes(LyingServer.answer(200, TrueBody().text, headers: ["Sync-Head: \(head)"]))
                default: return .bytes(TrueBody().answer)
                }
            }
            let store = victim.store
            let running = Task { await store.run() }
            try await eventually("many events were told") { victim.liar.partsSent > 40 }
            running.cancel()
            await running.value
            #expect(victim.liar.requests.count <= Self.requestsMax)
            try await victim.expectRecovery("a flood")
        }
    }

    /// Changes that a restored server is offered stay until the server returns their verdict.
    @Test func whatIsOfferedStaysUntilItIsAnswered() async throws {
        try await Victim.with { victim in
            try await victim.write()
            try await victim.store.syncOnce()
            let answers = [
                LyingServer.problem(410, "epoch-changed"), TrueBody().answer, TrueBody().with("applied", "0").answer,
            ]
            let number = Atomic(0)
            await victim.meet { _ in
                let (index, _) = number.add(1, ordering: .relaxed)
                return .bytes(answers[min(index, 2)])
            }
            let database = try SQLiteDatabase(path: victim.shop.file("victim").path)
            #expect(try database.first("SELECT count(*) FROM aside") { $0.int(0) } == 1)
            try await victim.expectRecovery("an epoch that did not change")
            #expect(try database.first("SELECT count(*) FROM aside") { $0.int(0) } == 0)
        }
    }

    @Test func linesOfAStreamThatAreInvalidSendNothing() {
        let endless = [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20)
        for text in [
            Array("id: \0\n".utf8), Array("id: -1\n".utf8), Array("id: 99999999999999999999\n".utf8),
            Array("id:\n".utf8),
            Array("id: ".utf8) + endless + Array("\n".utf8), [0, 10, 13, 10, 255, 10],
        ] {
            var reader = HeadReader()
            #expect(text.withUnsafeBytes { reader.read($0) } == nil)
            #expect(Array("id: 7\r\n".utf8).withUnsafeBytes { reader.read($0) } == 7)
        }
    }

    /// Expects the end of the run within a few requests, with a change in the outbox and without.
    private func expectEnd(requestsMax: Int = FutileSyncTests.requestsMax, _ lie: @escaping LyingServer.Lie)
        async throws
    {
        try await Victim.with { victim in
            try await victim.store.syncOnce()
            for isWriting in [false, true] {
                if isWriting { try await victim.write() }
                await victim.meet(lie)
                let count = victim.liar.requests.count
                #expect(count <= requestsMax)
                if count > requestsMax { return }
            }
            // The changes that the false response called stored do not exist; a server with such a response violates
            // the protocol.
            victim.liar.say(nil)
            try await victim.store.syncOnce()
        }
    }
}

import SyncTestSupport
import Synchronization
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// A stamp too far ahead of the server is clamped, and stays what it was clamped to.
@Suite struct ClampTests {
    private let meal = ID.random()
    private let clock = TestWallClock(seconds: 1_900_000_000)

    @Test func aClockFarAheadDoesNotWinForever() async throws {
        try await withTestServer(now: clock.now) { server in
            try await ahead(server).push([.create("SDMeal", meal, ["notes": "ahead"], at: clock.stamp(ahead: 3600))])
            clock.advance(seconds: 1)
            let answer = try await server.device().push([
                .update("SDMeal", meal, ["notes": "in time"], at: clock.stamp(ahead: 0))
            ])
            #expect(answer.verdicts == ["applied"])
            #expect(try await notes(server) == "in time")
        }
    }

    /// Also after the server's clock has caught up with the stamp.
    @Test(arguments: [0, 2, 3500, 7200])
    func theRetryOfAClampedPushChangesNothingEvenAfterAnother(secondsLater: Int64) async throws {
        try await withTestServer(now: clock.now) { server in
            let device = ahead(server)
            let change = JSONValue.update("SDMeal", meal, ["notes": "ahead"], at: clock.stamp(ahead: 3600))
            try await device.push([change])
            clock.advance(seconds: 1)
            try await server.device().push([.update("SDMeal", meal, ["notes": "in time"], at: clock.stamp(ahead: 0))])
            let before = try await server.contents()
            clock.advance(seconds: secondsLater)
            let retry = try await device.send([change])
            #expect(retry.verdicts == ["superseded"])
            #expect(try await notes(server) == "in time")
            #expect(try await server.contents() == before)
        }
    }

    /// A device that knows it can put its own later edits behind it.
    @Test func theStampThatCountsIsReturnedAndIsTheSameForARetry() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = ahead(server)
            let changes: [JSONValue] = [
                .create("SDMeal", meal, ["notes": "nearly in time"], at: clock.stamp(ahead: 299)),
                .update("SDMeal", meal, ["notes": "ahead"], at: clock.stamp(ahead: 3600)),
                .update("SDMeal", meal, ["notes": "wrong", "nothing": 1], at: clock.stamp(ahead: 3600)),
            ]
            let first = try await device.send(changes)
            #expect(first.verdicts == ["applied", "applied", "rejected"])
            let received = try #require(first.stamps[1])
            #expect(first.stamps.count == 1 && received > clock.stamp(ahead: 299) && received < clock.stamp(ahead: 301))
            clock.advance(seconds: 7200)
            #expect(try await device.send(changes).stamps == [1: received])
            // It is what the others receive.
            let other = server.device()
            #expect(try await other.pullAll().first?["stamp"].int == received)
        }
    }

    /// H9: each arrives by itself, as the network has it.
    @Test(arguments: [[0, 1, 2], [2, 0, 1], [2, 1, 0], [1, 2, 0]])
    func theLastEditOfADeviceWinsWhicheverArrivesFirst(order: [Int]) async throws {
        try await withTestServer(now: clock.now) { server in
            let device = ahead(server)
            let edits = (0..<3).map { index in
                JSONValue.update(
                    "SDMeal", meal, ["notes": .string("\(index)")], at: clock.stamp(ahead: 31_536_000) + Int64(index))
            }
            try await server.device().push([.create("SDMeal", meal, ["notes": "first"], at: clock.stamp(ahead: 0))])
            for index in order {
                try await device.send([edits[index]])
                clock.advance(seconds: 1)
            }
            #expect(try await notes(server) == "2")
            for index in order { try await device.send([edits[index]]) }
            #expect(try await notes(server) == "2")
        }
    }

    /// The first was only a minute ahead, the second an hour: whichever request arrives first, and however often.
    @Test(arguments: [[0, 1], [1, 0]], [true, false])
    func anEditThatIsALittleAheadStaysBeforeALaterOneThatWasReplaced(order: [Int], hasCursor: Bool) async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.device().push([.create("SDMeal", meal, ["notes": "first"], at: clock.stamp(ahead: 0))])
            let device = ahead(server)
            if hasCursor { try await device.pullAll() }
            let cursor = await device.cursor
            let edits: [JSONValue] = [
                .update("SDMeal", meal, ["notes": "earlier"], at: clock.stamp(ahead: 60)),
                .update("SDMeal", meal, ["notes": "later"], at: clock.stamp(ahead: 3600)),
            ]
            for index in order {
                try await device.send([edits[index]], cursor: cursor)
                clock.advance(seconds: 1)
            }
            #expect(try await notes(server) == "later")
            for index in order + order.reversed() { try await device.send([edits[index]], cursor: cursor) }
            #expect(try await notes(server) == "later")
            // A device that its answer has set right, and that has read the current value, is later.
            let next = server.device(id: device.id)
            try await next.pullAll()
            let stamp = max(await next.latestSeen + 1, clock.stamp(ahead: 30))
            try await next.push([.update("SDMeal", meal, ["notes": "next"], at: stamp)])
            #expect(try await notes(server) == "next")
            // So is he whose clock is right by now, whatever he has read.
            try await server.device().push([.update("SDMeal", meal, ["rawInput": "r"], at: clock.stamp(ahead: 0))])
            clock.advance(seconds: 90)
            try await device.send(
                [.update("SDMeal", meal, ["notes": "last"], at: clock.stamp(ahead: 0))], cursor: cursor)
            #expect(try await notes(server) == "last")
        }
    }

    /// It is ordered right before that, and not in the middle of all time.
    @Test func whatCameBeforeAReplacedEditIsStillLaterThanWhatOthersSaid() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = ahead(server)
            try await device.send([.update("SDMeal", meal, ["notes": "far"], at: clock.stamp(ahead: 3600))])
            let fields: [String: JSONValue] = ["notes": "earlier", "rawInput": "mine"]
            try await device.send([.update("SDMeal", meal, fields, at: clock.stamp(ahead: 60))])
            try await server.device().push([.update("SDMeal", meal, ["rawInput": "other"], at: clock.stamp(ahead: -9))])
            let view = try await server.view("0.1.1")["SDMeal"]?[meal.description]
            #expect(view?["rawInput"] == "mine" && view?["notes"] == "far")
        }
    }

    /// The device has received its replaced stamp, and sets its clock right. Its next push is not answered,
    /// so that it has not read the record as that has left it.
    @Test func whoHasHeardOfAReplacementIsLaterWhateverHeHasReadSince() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = ahead(server)
            try await device.push([.create("SDMeal", meal, ["notes": "slightly"], at: clock.stamp(ahead: 240))])
            try await device.push([.update("SDMeal", meal, ["notes": "far"], at: clock.stamp(ahead: 3600))])
            try await device.pullAll()
            let (cursor, latest) = (await device.cursor, await device.latestSeen)
            #expect(latest < clock.stamp(ahead: 3600))
            try await device.send([.update("SDMeal", meal, ["rawInput": "r"], at: latest + 1)], cursor: cursor)
            try await device.send([.update("SDMeal", meal, ["notes": "right"], at: latest + 2)], cursor: cursor)
            #expect(try await notes(server) == "right")
        }
    }

    /// Seven edits of one record by a device whose clock is ahead by any amounts, each in a request of its own, in any
    /// order: its last edit wins, if its clock did not go back.
    @Test(arguments: 1...6)
    func theLastEditOfOneDeviceWinsWhateverItsClockShows(round: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        try await withTestServer(now: clock.now) { server in
            try await server.device().push([.create("SDMeal", meal, ["notes": "first"], at: clock.stamp(ahead: 0))])
            let device = ahead(server)
            let amounts = (0..<7).map { _ in [60, 120, 250, 310, 3600, 31_536_000].randomElement(using: &random)! }
            let stamps = amounts.sorted().enumerated().map { clock.stamp(ahead: Int64($1)) + Int64($0) }
            let edits = stamps.enumerated().map { index, stamp in
                JSONValue.update("SDMeal", meal, ["notes": .string("\(index)")], at: stamp)
            }
            let order = edits.indices.shuffled(using: &random)
            for index in order {
                try await device.send([edits[index]])
                if Bool.random(using: &random) { clock.advance(seconds: 1) }
            }
            #expect(try await notes(server) == "6", "seed \(seed): \(amounts.sorted()), \(order)")
            for index in edits.indices.shuffled(using: &random) { try await device.send([edits[index]]) }
            #expect(try await notes(server) == "6", "seed \(seed): \(amounts.sorted()), \(order), again")
        }
    }

    @Test(arguments: 0..<20)
    func theEncodingOfStampsIsInTheirOrder(round: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        var known: [(sent: Int64, given: Int64)] = []
        var open = Array(Set((0..<60).map { _ in Int64.random(in: 1...200, using: &random) })).shuffled(using: &random)
        while !open.isEmpty {
            let sent = open.prefix(Int.random(in: 1...10, using: &random)).sorted()
            open.removeFirst(sent.count)
            let first = Int64.random(in: 1_000_000...1_000_500, using: &random)
            known += zip(sent, ClampedOrder(known).given(for: sent, from: first)).map { ($0, $1) }
            let given = known.sorted { $0.sent < $1.sent }.map(\.given)
            // Twenty halvings would leave no room.
            #expect(zip(given, given.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed): \(known)")
            #expect(given.allSatisfy { $0 > 0 })
        }
    }

    @Test func theRetryOfAClampedPushIsUnchanged() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = ahead(server)
            let changes: [JSONValue] = [
                .create("SDMeal", meal, ["notes": "one"], at: clock.stamp(ahead: 3600)),
                .update("SDMeal", ID.random(), ["notes": "two"], at: clock.stamp(ahead: 3601)),
            ]
            let first = try await device.push(changes)
            clock.advance(seconds: 5)
            let retry = try await device.send(changes)
            #expect(retry.verdicts == ["unchanged", "unchanged"] && retry.head == first.head)
        }
    }

    /// The device has seen an accepted stamp that is itself ahead; its own later edit is later all the same.
    @Test func aClampedEditIsLaterThanWhatItsDeviceHadSeen() async throws {
        try await withTestServer(now: clock.now) { server in
            let (near, far) = (server.device(), ahead(server))
            try await near.push([
                .create("SDMeal", meal, ["notes": "seen"], at: clock.stamp(ahead: 240))
            ])
            try await far.pullAll()
            try await far.push([.update("SDMeal", meal, ["notes": "edited"], at: clock.stamp(ahead: 3600))])
            try await far.pullAll()
            #expect(try await notes(server) == "edited")
            #expect(await far.store == (try await server.view("0.1.1")))
        }
    }

    /// A device that sends ever new stamps loses its own oldest ones; whoever else shares the space keeps theirs, and
    /// the retry of the latest push is still known.
    @Test func whatIsRememberedOfOneSpaceIsBounded() async throws {
        try await withTestServer(now: clock.now) { server in
            let (honest, hostile) = (server.device(), server.device())
            let edit = [JSONValue.update("SDMeal", meal, ["notes": "ahead"], at: clock.stamp(ahead: 3600))]
            let received = try await honest.send(edit).stamps
            var latest: [JSONValue] = []
            var given: [Int: Int64] = [:]
            for push in 0..<3 {
                latest = (0..<5_000).map { number in
                    .update("SDMeal", meal, at: clock.stamp(ahead: 7200) + Int64(push * 5_000 + number))
                }
                given = try await hostile.send(latest).stamps
                #expect(given.count == 5_000)
            }
            #expect(try await server.rowCount("sync.clamp") == 10_000)
            clock.advance(seconds: 60)
            #expect(try await honest.send(edit).stamps == received)
            #expect(try await hostile.send(latest).stamps == given)
        }
    }

    private func ahead(_ server: TestServer) -> TestDevice { server.device() }

    private func notes(_ server: TestServer) async throws -> JSONValue? {
        try await server.view("0.1.1")["SDMeal"]?[meal.description]?["notes"]
    }
}

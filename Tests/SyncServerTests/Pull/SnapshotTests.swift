import SyncTestSupport
import Testing
import WireFormats

/// Tests that a device is sent all that exists if its cursor is older than a collected tombstone.
@Suite struct SnapshotTests {
    private let gone = ID.random()
    private let edited = ID.random()
    private let kept = ID.random()

    /// Cannot pass where the horizon does not move: the device would never receive what was collected.
    @Test func aDeviceThatWasAwayForTooLongEndsWithoutWhatWasDeleted() async throws {
        try await withTestServer { server in
            let (away, present) = (server.device(), server.device())
            try await away.push([gone, edited, kept].map { .create("SDMeal", $0, ["notes": "mine"], at: moment(1)) })
            try await away.pullAll()
            try await present.pullAll()
            try await present.push([.delete("SDMeal", gone, at: moment(2)), .delete("SDMeal", edited, at: moment(2))])
            await away.make([.update("SDMeal", edited, ["notes": "unsent"], at: moment(3))])
            #expect(try await server.collect(olderThanDays: 0) == 2)

            let before = try await server.contents()
            let refusal = try await #require(throws: TestDevice.Refused.self) { try await away.push() }
            #expect(refusal.reply.isProblem(410, "cursor-expired"))
            let pull = try await #require(throws: TestDevice.Refused.self) { try await away.pullPage() }
            #expect(pull.reply.isProblem(410, "cursor-expired"))
            #expect(try await server.contents() == before)
            #expect(await away.outbox.count == 1)

            try await away.sync(limit: 1)
            #expect(await !away.holds("SDMeal", gone))
            #expect(await away.outbox.isEmpty)
            #expect(await away.value("SDMeal", edited, "notes") == "unsent")
            try await present.sync()
            let view = try await server.view("0.1.1")
            #expect(await away.store == view)
            #expect(await present.store == view)
        }
    }

    /// It has been sent everything that was collected.
    @Test func aCursorBehindTheHorizonGoesOn() async throws {
        try await withTestServer { server in
            let (first, second) = (server.device(), server.device())
            try await first.push([.create("SDMeal", gone, at: moment(1)), .create("SDMeal", kept, at: moment(1))])
            try await first.push([.delete("SDMeal", gone, at: moment(2))])
            try await first.pullAll()
            #expect(try await server.collect(olderThanDays: 0) == 1)
            try await second.push([.update("SDMeal", kept, ["notes": "new"], at: moment(3))])
            #expect(try await first.pullAll().count == 1)
            #expect(await first.value("SDMeal", kept, "notes") == "new")
        }
    }

    /// Its pages' numbers are below the horizon, and it is not refused for that.
    @Test func aSnapshotInPagesIsNotRefusedForWhatWasCollectedBefore() async throws {
        try await withTestServer { server in
            let writer = server.device()
            try await writer.push((0..<5).map { _ in .create("SDMeal", .random(), at: moment(1)) })
            try await writer.push([.create("SDMeal", gone, at: moment(1))])
            try await writer.push([.delete("SDMeal", gone, at: moment(2))])
            #expect(try await server.collect(olderThanDays: 0) == 1)
            for beginsWithAPush in [false, true] {
                let device = server.device()
                if beginsWithAPush { try await device.push([.create("SDMeal", .random(), at: moment(3))]) }
                try await device.pullAll(limit: 1)
                #expect(await device.store == (try await server.view("0.1.1")))
            }
        }
    }

    /// A record that a page has sent is deleted and collected before the next: paging must begin anew.
    @Test(arguments: [1, 2]) func aDeletionCollectedInTheMiddleOfASnapshotIsNotMissed(pages: Int) async throws {
        try await withTestServer { server in
            let (writer, reader) = (server.device(), server.device())
            try await writer.push([.create("SDMeal", gone, at: moment(1))])
            try await writer.push((0..<4).map { _ in .create("SDMeal", .random(), at: moment(1)) })
            try await reader.pullPage(limit: 1)
            #expect(await reader.holds("SDMeal", gone))
            try await writer.push([.delete("SDMeal", gone, at: moment(2))])
            // A page after the deletion knows a later head, but has not sent the deletion.
            if pages == 2 { try await reader.pullPage(limit: 1) }
            #expect(try await server.collect(olderThanDays: 0) == 1)
            let refusal = try await #require(throws: TestDevice.Refused.self) { try await reader.pullPage(limit: 1) }
            #expect(refusal.reply.isProblem(410, "cursor-expired"))
            try await reader.sync(limit: 1)
            #expect(await reader.store == (try await server.view("0.1.1")))
        }
    }

    /// Two that hold the same, but that one was away when the other deleted a record and that was collected.
    private func devices(of server: TestServer) async throws -> (away: TestDevice, present: TestDevice) {
        let (away, present) = (server.device(), server.device())
        try await away.push([gone, edited, kept].map { .create("SDMeal", $0, at: moment(1)) })
        try await away.pullAll()
        try await present.pullAll()
        try await present.push([.delete("SDMeal", gone, at: moment(2))])
        try await server.collect(olderThanDays: 0)
        return (away, present)
    }

    /// The device's own pushes during the snapshot are not sent to it, and stay.
    @Test func editsDuringASnapshotStay() async throws {
        try await withTestServer { server in
            let (away, _) = try await devices(of: server)
            await away.beginSnapshot()
            try await away.pullPage(limit: 1)
            let new = ID.random()
            try await away.push([
                .create("SDMeal", new, at: moment(3)), .update("SDMeal", kept, ["notes": "now"], at: moment(3)),
            ])
            try await away.sync(limit: 1)
            #expect(await away.holds("SDMeal", new))
            #expect(await !away.holds("SDMeal", gone))
            #expect(await away.store == (try await server.view("0.1.1")))
        }
    }

    /// A new device was not answered, and by its retry the record had been deleted. Its cursor begins with the retry.
    @Test func aRetryThatFindsItsRecordDeadIsSentThatThoughItIsCollected() async throws {
        try await withTestServer { server in
            let (new, present) = (server.device(), server.device())
            let create: JSONValue = .create("SDMeal", gone, at: moment(1))
            try await new.send([create])
            try await present.pullAll()
            try await present.push([.delete("SDMeal", gone, at: moment(2))])
            #expect(try await new.push([create]).verdicts == ["unchanged"])
            try await server.collect(olderThanDays: 0)
            try await new.sync()
            #expect(await !new.holds("SDMeal", gone))
        }
    }

    /// Its deletion was remembered when the edit came, and collected before a page could send it.
    @Test func anEditThatWasInVainDoesNotKeepADeadRecord() async throws {
        try await withTestServer { server in
            let (away, present) = try await devices(of: server)
            try await present.pullAll()
            try await present.push([.delete("SDMeal", edited, at: moment(2))])
            await away.beginSnapshot()
            let answer = try await away.push([.update("SDMeal", edited, ["notes": "late"], at: moment(3))])
            #expect(answer.verdicts == ["superseded"])
            #expect(try await server.collect(olderThanDays: 0) == 1)
            try await away.sync(limit: 1)
            #expect(await away.store == (try await server.view("0.1.1")))
        }
    }

    /// Devices of several versions edit, come and go, and tombstones are collected at any time.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aFleetConvergesWhateverIsCollectedWhen(seed: UInt64) async throws {
        try await withTestServer { server in
            var random = SplitMix64(seed: seed)
            let devices = ["0.0.6", "0.0.8", "0.1.1", "0.1.1"].map { server.device($0) }
            let meals = (0..<4).map { _ in ID.random(using: &random) }
            let items = (0..<4).map { _ in ID.random(using: &random) }
            for step in 1...120 as ClosedRange<Int64> {
                let device = devices[Int(random.next() % 4)]
                let (meal, item) = (meals[Int(random.next() % 4)], items[Int(random.next() % 4)])
                let stamp = moment(step * 10)
                switch random.next() % 8 {
                case 0: await device.make([.create("SDMeal", meal, ["notes": .int(step).text], at: stamp)])
                case 1: await device.make([.update("SDMeal", meal, ["notes": .int(step).text], at: stamp)])
                case 2: await device.make([.delete("SDMeal", meal, at: stamp)])
                case 3: await device.make([.create("SDMealLogItem", item, ["mealLog": .id(meal)], at: stamp)])
                case 4: await device.make([.delete("SDMealLogItem", item, at: stamp)])
                case 5: try await server.collect(olderThanDays: 0)
                default: try await device.sync(limit: 2)
                }
            }
            // Once to send, once to receive what the others sent.
            for _ in 0..<2 { for device in devices { try await device.sync(limit: 2) } }
            for device in devices {
                let view = try await server.view(device.version)
                #expect(await device.store.nonEmpty == view.nonEmpty, "seed \(seed), \(device.version)")
            }
        }
    }

    /// A second version's initial sync is no snapshot: the device holds what it was sent before.
    @Test func aPullInAnOlderVersionIsRefusedForWhatItMissed() async throws {
        try await withTestServer { server in
            let (newer, writer) = (server.device("0.1.1"), server.device("0.1.1"))
            try await writer.push([.create("SDMeal", gone, at: moment(1)), .create("SDMeal", kept, at: moment(1))])
            try await newer.pullAll()
            try await writer.push([.delete("SDMeal", gone, at: moment(2))])
            try await server.collect(olderThanDays: 0)
            let older = server.device("0.1.0", id: newer.id)
            await older.take(over: newer.store, cursor: newer.cursor)
            let refusal = try await #require(throws: TestDevice.Refused.self) { try await older.pullPage() }
            #expect(refusal.reply.isProblem(410, "cursor-expired"))
        }
    }
}

extension TestDevice.Store {
    /// Without the entities of which there is no record.
    fileprivate var nonEmpty: Self { filter { !$0.value.isEmpty } }
}

extension JSONValue {
    /// A number as a text.
    fileprivate var text: JSONValue { .string(description) }
}

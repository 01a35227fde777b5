import SyncTestSupport
import Testing
import WireFormats

/// Tests of requests that a network delivers once more, when their device has read on. A device is taken to hold the
/// current values only where the cursor of its request says so.
@Suite struct StaleRequestTests {
    private let id = ID.random()

    /// The first change is of the device, the second of another; then the first arrives once more.
    @Test(
        arguments: [
            ("whole", ["notes": "A", "rawInput": "r2"], moment(5), ["notes": "B"], moment(3)),
            ("patch", ["notes": "A2"], nil, ["notes": "B"], nil),
            ("patch", ["notes": "B"], moment(5), ["notes": "A2"], moment(5)),
        ] as [(String, [String: JSONValue], Int64?, [String: JSONValue], Int64?)])
    func aChangeThatArrivesOnceMoreIsSentToItsDevice(
        mode: String, change: [String: JSONValue], stamp: Int64?, next: [String: JSONValue], nextStamp: Int64?
    ) async throws {
        try await withTestServer { server in
            let (device, other) = (server.device("0.0.7", mode: mode), server.device())
            try await other.push([.create("SDMeal", id, ["notes": "A", "rawInput": "r1"], at: moment(1))])
            try await device.pullAll()
            let cursor = await device.cursor
            try await device.push([.update("SDMeal", id, change, at: stamp)])
            try await other.push([.update("SDMeal", id, next, at: nextStamp)])
            try await device.pullAll()

            try await device.send([.update("SDMeal", id, change, at: stamp)], cursor: cursor)
            try await device.pullAll()
            #expect(await device.store == (try await server.view("0.0.7")))
        }
    }

    /// Two devices that saw one edit of a quantity make one stamp, one of them of the number and one of the unit.
    @Test func editsOfPartsWithOneStampAreSent() async throws {
        try await withTestServer { server in
            let (device, other) = (server.device("0.0.8"), server.device("0.0.8"))
            let fields: [String: JSONValue] = ["quantity": 1.5, "unit": "cups"]
            try await other.push([.create("SDMealLogItem", id, fields, at: moment(1))])
            try await device.pullAll()
            let cursor = await device.cursor
            let change = JSONValue.update("SDMealLogItem", id, ["quantity": 3], at: moment(5))
            try await device.push([change])
            try await other.push([.update("SDMealLogItem", id, ["unit": "g"], at: moment(5))])
            try await device.pullAll()

            try await device.send([change], cursor: cursor)
            try await device.pullAll()
            #expect(await device.store == (try await server.view("0.0.8")))
        }
    }

    /// The device holds the last of several edits of its own, and the first arrives once more.
    @Test func itsOwnEarlierChangeIsSentToItsDevice() async throws {
        try await withTestServer { server in
            let device = server.device("0.0.7")
            try await device.push([.create("SDMeal", id, ["notes": "A"], at: nil)])
            // Somebody else writes, so that its cursor does not reach the head.
            try await server.device().push([.create("SDMeal", .random(), ["notes": "other"], at: nil)])
            let cursor = await device.cursor
            let first = JSONValue.update("SDMeal", id, ["notes": "first"], at: nil)
            try await device.push([first])
            try await device.push([.update("SDMeal", id, ["notes": "second"], at: nil)])

            try await device.send([first], cursor: cursor)
            try await device.pullAll()
            #expect(await device.store == (try await server.view("0.0.7")))
            #expect(await device.value("SDMeal", id, "notes") == "first")
        }
    }

    /// A device does not receive its acknowledged changes, beside what others wrote.
    @Test func nothingThatItHoldsIsSentToItsDevice() async throws {
        try await withTestServer { server in
            let (device, other) = (server.device("0.0.7"), server.device())
            let (mine, others) = ((0..<5).map { _ in ID.random() }, (0..<5).map { _ in ID.random() })
            try await device.push(mine.map { .create("SDMeal", $0, ["notes": "mine"], at: moment(1)) })
            try await device.pullAll()
            for (mine, others) in zip(mine, others) {
                try await other.push([.create("SDMeal", others, ["notes": "other"], at: moment(1))])
                try await device.push([.update("SDMeal", mine, ["notes": "mine"], at: moment(2))])
                try await device.push([.update("SDMeal", mine, ["notes": "mine again"], at: moment(3))])
            }
            let received = try await device.pullAll()
            #expect(Set(received.compactMap { $0["id"].string }) == Set(others.map(\.description)))
            #expect(await device.store == (try await server.view("0.0.7")))
        }
    }
}

import SyncTestSupport
import Testing
import WireFormats

/// Tests of pages, cursors, and what is not sent again: see docs/protocol.md, *Pull*.
@Suite struct PullTests {
    private let meal = ID.random()

    @Test func pagesOfAnySizeSendTheSameInTheSameOrder() async throws {
        try await withTestServer { server in
            let writer = server.device("0.0.9")
            let entities = ["SDMeal", "SDMealLogItem", "SDMoodEntry", "SDProgressEntry", "SDPhotoRecognition"]
            for round in 0..<6 {
                try await writer.push(entities.map { .create($0, .random(), at: moment(Int64(round))) })
            }
            let whole = try await server.device("0.0.9").pullAll()
            #expect(whole.count == 30)
            for limit in [1, 2, 7, 30, 5000, 9999] {
                let device = server.device("0.0.9")
                let pulled = try await device.pullAll(limit: limit)
                #expect(pulled == whole, "limit \(limit)")
            }
            let numbers = whole.compactMap { $0["seq"].int }
            #expect(numbers == Array(1...30))
        }
    }

    @Test func aPageIsBoundedByBytesAndTheNextGoesOn() async throws {
        try await withTestServer { server in
            let text = JSONValue.string(String(repeating: "n", count: 300_000))
            for _ in 0..<2 {
                try await server.device().push(
                    (0..<5).map { _ in .create("SDMeal", .random(), ["notes": text], at: moment(1)) })
            }
            let device = server.device()
            let first = try await device.pullPage()
            #expect(first.more && first.changes.count == 4)
            try await device.pullAll()
            #expect(await device.store["SDMeal"]?.count == 10)
        }
    }

    @Test func nothingNewIsAnEmptyPage() async throws {
        try await withTestServer { server in
            let device = server.device()
            let empty = try await device.pullPage()
            #expect(empty.changes.isEmpty && !empty.more && empty.head == 0)
            try await server.device().push([.create("SDMeal", meal, at: moment(1))])
            try await device.pullAll()
            let cursor = await device.cursor
            let again = try await device.pullPage()
            #expect(again.changes.isEmpty && !again.more && again.cursor == cursor)
        }
    }

    @Test func aDeviceIsNotSentItsOwnChanges() async throws {
        try await withTestServer { server in
            let device = server.device()
            let day: JSONValue = "2026-01-31T08:00:00Z"
            let fields: [String: JSONValue] = ["createdAt": day, "loggedAt": day, "notes": "mine"]
            try await device.pullAll()
            try await device.push([.create("SDMeal", meal, fields, at: moment(1))])
            #expect(try await device.pullAll().isEmpty)
            try await device.push([.update("SDMeal", meal, ["notes": "mine still"], at: moment(2))])
            #expect(try await device.pullAll().isEmpty)
            #expect(await device.store == (try await server.view("0.1.1")))
            try await device.push([.delete("SDMeal", meal, at: moment(3))])
            #expect(try await device.pullAll().isEmpty)
        }
    }

    @Test func aDeviceIsSentWhatMergingMadeOfItsEdit() async throws {
        try await withTestServer { server in
            let (early, late) = (server.device(), server.device())
            try await early.push([.create("SDMeal", meal, ["notes": "a", "rawInput": "a"], at: moment(1))])
            try await late.pullAll()
            try await early.pullAll()
            try await late.push([.update("SDMeal", meal, ["notes": "late"], at: moment(3))])
            let answer = try await early.push([
                .update("SDMeal", meal, ["notes": "early", "rawInput": "early"], at: moment(2))
            ])
            #expect(answer.verdicts == ["merged"] && answer.kept == [0: ["notes"]])
            try await early.pullAll()
            #expect(await early.value("SDMeal", meal, "notes") == "late")
            #expect(await early.value("SDMeal", meal, "rawInput") == "early")
        }
    }

    @Test(arguments: ["2026-01-31T08:00:00.123456789Z", "2026-01-31T09:00:00.1234567+01:00"])
    func aDeviceIsSentItsNormalizedValue(text: String) async throws {
        try await withTestServer { server in
            let device = server.device()
            let day: JSONValue = "2026-01-31T08:00:00Z"
            try await device.pullAll()
            try await device.push([
                .create("SDMeal", meal, ["createdAt": day, "loggedAt": day, "updatedAt": .string(text)], at: moment(1))
            ])
            try await device.pullAll()
            #expect(await device.value("SDMeal", meal, "updatedAt") == "2026-01-31T08:00:00.123457Z")
            let later = JSONValue.string(text.replacing("2026", with: "2027"))
            try await device.push([.update("SDMeal", meal, ["updatedAt": later], at: moment(2))])
            try await device.pullAll()
            #expect(await device.store == (try await server.view("0.1.1")))
        }
    }

    /// The device holds the null that it was sent, and did not write the reference again.
    @Test func aReferenceThatTheDevicesOwnPushBringsBackIsSent() async throws {
        try await withTestServer { server in
            let device = server.device()
            let (meal, profile) = (ID.random(), ID.random())
            try await device.push([
                .create("SDMeal", meal, ["userProfile": .id(profile), "notes": "soup"], at: moment(1))
            ])
            try await device.pullAll()
            #expect(await device.value("SDMeal", meal, "userProfile") == .null)
            try await device.push([
                .update("SDMeal", meal, ["notes": "bread"], at: moment(2)),
                .create("SDUserProfileV11", profile, ["name": "Ada"], at: moment(2)),
            ])
            try await device.pullAll()
            #expect(await device.value("SDMeal", meal, "userProfile") == .id(profile))
            #expect(await device.store == (try await server.view("0.1.1")))
        }
    }

    /// The answer was lost, the next pull sent what the server made of the change, and then it comes again, on top.
    @Test func aRetryIsSentOnceMoreWhatItReadsOtherwise() async throws {
        try await withTestServer { server in
            let device = server.device()
            let create: JSONValue = .create("SDMeal", meal, ["userProfile": .id(.random())], at: moment(1))
            let (log, entry) = (ID.random(), "2026-01-31T08:00:00.1234567Z")
            let rounded: JSONValue = .create("SDMeal", log, ["loggedAt": .string(entry)], at: moment(1))
            let creates: [JSONValue] = [create, rounded]
            try await device.send(creates)
            try await device.pullAll()
            for change in creates {
                let answer = try await device.push([change])
                #expect(answer.verdicts == ["unchanged"])
                #expect(try await device.pullAll().count == 1)
                #expect(await device.store == (try await server.view("0.1.1")))
            }
        }
    }

    /// The create did nothing the second time, as its device later said something else about all of it.
    @Test func aDeviceWhoseCreateWasNotAnsweredIsSentItsOutcome() async throws {
        try await withTestServer { server in
            let device = server.device()
            let changes: [JSONValue] = [
                .create("SDMeal", meal, ["notes": "first"], at: moment(1)),
                .update("SDMeal", meal, ["notes": "second"], at: moment(2)),
            ]
            try await device.send(changes)
            let answer = try await device.push(changes)
            #expect(answer.verdicts.first == "superseded")
            #expect(try await device.pullAll().count == 1)
        }
    }

    @Test("S5_01: a device that lost its store is sent everything, its own included")
    func aDeviceThatLostItsStoreIsSentEverythingItsOwnIncluded() async throws {
        try await withTestServer { server in
            let device = server.device()
            let day: JSONValue = "2026-01-31T08:00:00Z"
            try await device.push([.create("SDMeal", meal, ["createdAt": day, "loggedAt": day], at: moment(1))])
            try await server.device().push([.create("SDMeal", .random(), at: moment(2))])
            try await device.pullAll()
            await device.loseStore()
            try await device.pullAll(limit: 1)
            #expect(await device.store == (try await server.view("0.1.1")))
            #expect(await device.store["SDMeal"]?.count == 2)
        }
    }

    @Test func theCursorOfAPushGoesOnWithoutLossOrEcho() async throws {
        try await withTestServer { server in
            let (one, other) = (server.device(), server.device())
            let day: JSONValue = "2026-01-31T08:00:00Z"
            var received = 0
            for round in 1...6 {
                for device in [one, other] {
                    try await device.push([
                        .create("SDMeal", .random(), ["createdAt": day, "loggedAt": day], at: moment(Int64(round)))
                    ])
                }
                received += try await one.pullAll().count
            }
            // Each of the other's, once.
            #expect(received == 6)
            try await other.pullAll()
            #expect(await one.store == other.store)
        }
    }

    /// The record has moved on, by the device's own edit, out of the page in which the other's edit would have come.
    @Test(arguments: [(0, 1000), (1, 1), (1, 1000), (2, 2), (6, 6)])
    func anEditOfWhatAPageHasNotReachedIsSentAll(before: Int, limit: Int) async throws {
        try await withTestServer { server in
            let (device, other) = (server.device(), server.device())
            try await other.push([.create("SDMeal", meal, ["notes": "first", "rawInput": "first"], at: moment(1))])
            try await device.pullAll()
            for _ in 0..<3 { try await other.push([.create("SDMoodEntry", .random(), at: moment(2))]) }
            try await other.push([.update("SDMeal", meal, ["notes": "theirs"], at: moment(3))])
            for _ in 0..<3 { try await other.push([.create("SDMoodEntry", .random(), at: moment(4))]) }
            if before > 0 { try await device.pullPage(limit: before) }
            try await device.push([.update("SDMeal", meal, ["rawInput": "mine"], at: moment(5))])
            try await device.pullAll(limit: limit)
            #expect(await device.value("SDMeal", meal, "notes") == "theirs")
            #expect(await device.store == (try await server.view("0.1.1")))
        }
    }

    /// The other's edit says what the record said, but later; nothing shows that but the fate of the next edit.
    @Test func aDeviceIsSentWhatItsEditLostToThoughNothingElseChanged() async throws {
        try await withTestServer { server in
            let (device, other) = (server.device(), server.device())
            let (notes, created, deleted) = (ID.random(), ID.random(), ID.random())
            for one in [device, other] {
                try await one.push([
                    .update("SDMeal", notes, ["notes": "same"], at: moment(1)),
                    .create("SDMeal", created, at: moment(1)),
                    .create("SDMeal", deleted, at: moment(1)),
                ])
                try await one.pullAll()
            }
            try await device.push([.delete("SDMeal", deleted, at: moment(2))])
            try await device.pullAll()
            try await other.push([
                .update("SDMeal", notes, ["notes": "same"], at: moment(9)), .create("SDMeal", created, at: moment(9)),
                .delete("SDMeal", deleted, at: moment(9)),
            ])
            let answer = try await device.push([
                .update("SDMeal", notes, ["notes": "mine"], at: moment(5)), .delete("SDMeal", created, at: moment(5)),
                .create("SDMeal", deleted, at: moment(5)),
            ])
            #expect(answer.verdicts == ["superseded", "superseded", "superseded"])
            try await device.pullAll()
            #expect(await device.store == (try await server.view("0.1.1")))
        }
    }

    /// Without them, only the latest is read.
    @Test func theLatestStampIsTheSameWhetherAllAreSentOrNot() async throws {
        try await withTestServer { server in
            let device = server.device()
            let (gone, back) = (ID.random(), ID.random())
            try await device.push([meal, gone, back].map { .create("SDMeal", $0, ["notes": "a"], at: moment(1)) })
            try await device.push([
                .create("SDMoodEntry", .random(), at: moment(2)),
                .update("SDMeal", meal, ["notes": "b"], at: moment(3)),
                .delete("SDMeal", gone, at: moment(4)), .delete("SDMeal", back, at: moment(5)),
            ])
            try await device.push([.create("SDMeal", back, ["notes": "c"], at: moment(6))])
            var received: [[[JSONValue]]] = []
            for query in ["?limit=100", "?limit=100&stamps=true"] {
                let reply = try await server.send("GET", server.path() + query)
                received.append(reply.json["changes"].elements.map { [$0["id"], $0["stamp"]] })
            }
            #expect(received[0] == received[1] && received[0].count == 4)
            #expect(Set(received[0].compactMap { $0[1].int }) == Set([2, 3, 4, 6].map { moment($0) }))
        }
    }

    /// However much more, in a query and in a body, where JSON has greater ones only with an exponent.
    @Test(arguments: [
        ("5001", "5001"), ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "18446744073709551615"), ("99999999999999999999", "1e20"),
        (String(repeating: "9", count: 300), "1e300"),
    ])
    func moreThanAPageMayHaveMeansAsManyAsItMay(limit: String, inJSON: String) async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", meal, ["notes": "mine"], at: moment(1))])
            let pull = try await server.send("GET", "\(server.path())?limit=\(limit)")
            let body = Array("{\"changes\":[],\"limit\":\(inJSON)}".utf8)
            let sync = try await server.send("POST", server.path("sync"), body: body)
            for reply in [pull, sync] {
                #expect(reply.status == 200 && reply.json["changes"].elements.count == 1, "\(reply)")
            }
        }
    }

    @Test func aSyncIsAPushAndAPullInOne() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            let body: JSONValue = ["changes": [.create("SDMeal", meal, ["notes": "mine"], at: moment(2))], "limit": 1]
            let first = try await server.send("POST", server.path("sync"), body: body.bytes)
            #expect(first.status == 200 && first.json["applied"] == 1 && first.json["more"] == true)
            let next: JSONValue = ["changes": [], "cursor": first.json["cursor"]]
            let second = try await server.send("POST", server.path("sync"), body: next.bytes)
            let ids = (first.json["changes"].elements + second.json["changes"].elements).map { $0["id"] }
            #expect(Set(ids).count == 2 && second.json["more"] == false)
            #expect(second["sync-head"] == "2" && second["schema-version"] == "0.1.1" && second["server-time"] != nil)
        }
    }
}

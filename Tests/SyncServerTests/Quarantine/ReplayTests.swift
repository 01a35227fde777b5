import DemoApps
import PGStore
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// P1, P2: a replayed change ends as if it had come in time, whatever came meanwhile.
@Suite struct ReplayTests {
    private static let known = ID.random()
    private static let new = ID.random()

    /// Held are the third and the fifth; the sixth waits behind the fifth.
    private static let story: [(version: String, change: JSONValue)] = [
        ("1.0.0", .create("Item", known, ["name": "a", "price": "1"], at: moment(1))),
        ("2.0.0", .update("Item", known, ["cents": 400, "note": "n"], at: moment(3))),
        ("1.0.0", .update("Item", known, ["price": "13", "note": "m"], at: moment(4))),
        ("2.0.0", .update("Item", known, ["cents": 500], at: moment(2))),
        ("1.0.0", .create("Item", new, ["name": "b", "price": "13"], at: moment(5))),
        ("1.0.0", .update("Item", new, ["note": "mine"], at: moment(6))),
        ("1.0.0", .update("Item", known, ["note": "last"], at: moment(7))),
        ("2.0.0", .delete("Item", known, at: moment(8))),
        ("2.0.0", .update("Item", known, ["cents": 600], at: moment(9))),
        ("1.0.0", .create("Item", known, ["name": "back"], at: moment(10))),
    ]

    private func push(_ steps: ArraySlice<(version: String, change: JSONValue)>, _ server: TestServer) async throws {
        for step in steps { try await server.device(step.version).send([step.change]) }
    }

    /// As a database has it whose lens never failed.
    private func expected() async throws -> [String] {
        var rows: [String] = []
        try await withShop(NoFault.self) { server in
            try await push(ReplayTests.story[...], server)
            #expect(try await server.held().isEmpty)
            rows = try await server.rows()
        }
        #expect(rows.count == 2)
        return rows
    }

    @Test("P1, P2: a held change, replayed at any moment among later edits, has the result of a lens that never failed")
    func itDoesNotMatterWhenItIsReplayed() async throws {
        let expected = try await expected()
        for moment in 3...ReplayTests.story.count {
            try await withShop { server in
                try await push(ReplayTests.story[..<moment], server)
                #expect(try await server.held().isEmpty == false)
                _ = try await server.replay(NoFault.self)
                try await push(ReplayTests.story[moment...], server)
                _ = try await server.replay(NoFault.self)
                #expect(try await server.held().isEmpty)
                #expect(try await server.rows() == expected, "replayed after \(moment)")
            }
        }
    }

    /// A row may contain anything. The change is listed all the same, and stays where it is.
    @Test func aHeldChangeWithoutAReadableVersionIsListedAndKept() async throws {
        try await withShop { server in
            try await push(ReplayTests.story[..<3], server)
            let held = try await server.held()
            #expect(held.count == 1)
            try await server.administer("UPDATE sync.quarantine SET version = '0.1'")
            #expect(try await server.held().map(\.id) == held.map(\.id))
            #expect(try await server.replay(NoFault.self) == ["held"])
            #expect(try await server.held().map(\.id) == held.map(\.id))
        }
    }

    @Test(
        "P2: nor does it matter in which order held changes are replayed",
        arguments: [
            [0, 1, 2], [0, 2, 1], [1, 0, 2],
            [1, 2, 0], [2, 0, 1], [2, 1, 0],
        ])
    func itDoesNotMatterInWhichOrder(order: [Int]) async throws {
        let expected = try await expected()
        try await withShop { server in
            try await push(ReplayTests.story[...], server)
            let held = try await server.held()
            #expect(held.map(\.reason.code) == ["lens-failed", "lens-failed", "behind-held"])
            for index in order {
                let verdicts = try await server.replay(NoFault.self, [held[index].id])
                // The update stays behind the creation until that has been merged.
                let waits = index == 2 && order.firstIndex(of: 1)! > order.firstIndex(of: 2)!
                #expect((verdicts == ["held"]) == waits, "\(verdicts)")
            }
            _ = try await server.replay(NoFault.self)
            #expect(try await server.held().isEmpty)
            #expect(try await server.rows() == expected)
        }
    }

    /// The older one's fields are fewer, so that the last of the newer is beyond them.
    @Test func changesOfOneRecordInTwoVersionsAreReplayedTogether() async throws {
        try await withTestServer(EasitOpenPlan.self) { server in
            try await server.asOwner(HeldTrial.refusing(in: server.plan))
            let (old, new, id) = (server.device("0.0.1"), server.device("0.0.2"), ID.random())
            let fields: [String: JSONValue] = [
                "name": "Bäcker", "address": "", "latitude": 1, "longitude": 2, "dateAdded": "2026-01-01T00:00:00Z",
            ]
            try await old.send([.create("Business", id, fields, at: moment(1))])
            try await server.asOwner("INSERT INTO public.refused VALUES ('\(server.space)')")
            let first = try await old.send([.update("Business", id, ["website": "a"], at: moment(2))])
            let second = try await new.send([.update("Business", id, ["customLabel": "b"], at: moment(3))])
            #expect(first.verdicts == ["held"] && second.verdicts == ["held"])
            try await server.asOwner("DELETE FROM public.refused")
            let verdicts = try await server.withEngine { engine in
                try await engine.replay(nil, in: server.space, isDryRun: false).map(\.verdict.name)
            }
            #expect(verdicts == ["applied", "applied"])
            try await new.pullAll()
            #expect(await new.value("Business", id, "website") == "a")
            #expect(await new.value("Business", id, "customLabel") == "b")
        }
    }

    @Test("P1: no device receives a record of defaults while its creation is held")
    func updatesWaitBehindTheirCreation() async throws {
        try await withShop { server in
            let phone = server.device("1.0.0")
            let answer = try await phone.push([
                .create("Item", ReplayTests.new, ["name": "b", "price": "13"], at: moment(1)),
                .update("Item", ReplayTests.new, ["note": "n"], at: moment(2)),
            ])
            #expect(answer.verdicts == ["held", "held"])
            #expect(
                try await phone.push([.update("Item", ReplayTests.new, ["price": "4"], at: moment(3))]).verdicts
                    == ["held"])
            try await phone.sync()
            #expect(await phone.value("Item", ReplayTests.new, "name") == "b")
            #expect(try await server.rows().isEmpty)
            // A deletion needs nothing of it, and an update of what is dead changes nothing that is seen.
            #expect(try await phone.push([.delete("Item", ReplayTests.new, at: moment(4))]).verdicts == ["applied"])
            #expect(try await server.replay(NoFault.self) == ["superseded", "superseded", "superseded"])
            #expect(try await server.view("2.0.0")["Item"]?.isEmpty == true)
        }
    }

    @Test func whatCannotBeAnyMoreStaysAndSaysWhy() async throws {
        try await withShop { server in
            let phone = server.device("1.0.0")
            try await phone.push([.create("Item", ReplayTests.new, ["name": "b", "price": "13"], at: moment(1))])
            try await phone.push([.create("Item", ReplayTests.known, ["name": "b"], at: moment(2))])
            #expect(try await server.replay(NoFault.self) == ["rejected"])
            let held = try #require(try await server.held().first)
            #expect(held.reason.code == "rejected")
            #expect(held.reason.detail.hasPrefix("unique"))
            try await server.withEngine { try await $0.drop([held.id], in: server.space) }
            #expect(try await server.held().isEmpty)
        }
    }

    @Test("P4: an increment that was held counts once, also from a clock that was ahead")
    func incrementsCountOnce() async throws {
        try await withShop { server in
            let phone = server.device("1.0.0")
            let (known, hours) = (ReplayTests.known, Int64(3_600_000))
            try await phone.push([.create("Item", known, ["name": "a"], at: moment(1))])
            let changes = [moment(2), moment(5 * hours)].map { stamp in
                JSONValue.update("Item", known, ["price": "13"], at: stamp).with("increments", ["sold": 3])
            }
            for _ in 0..<2 {
                let answer = try await phone.send(changes)
                #expect(answer.verdicts == ["held", "held"])
                let held = try await server.held()
                #expect(held.map(\.content.stamp.rawValue) == [moment(2), answer.stamps[1]])
            }
            #expect(try await server.replay(NoFault.self) == ["applied", "applied"])
            #expect(try await server.view("1.0.0")["Item"]?[known.description]?["sold"] == 6)
            let again = try await server.pushMended(changes, by: #require(phone.id))
            // The later of the two wins.
            #expect(again == ["merged", "unchanged"])
            #expect(try await server.view("1.0.0")["Item"]?[known.description]?["sold"] == 6)
        }
    }

    @Test("P8: row-level security covers a space's held changes like its records")
    func heldChangesAreIsolated() async throws {
        try await withShop { server in
            let other = ID.random()
            let token = try await server.makeToken(app: "shop", spaces: [other])
            let change = JSONValue.create("Item", ReplayTests.new, ["name": "b", "price": "13"], at: moment(1))
            for device in [server.device("1.0.0"), server.device("1.0.0", space: other, token: token)] {
                #expect(try await device.push([change]).verdicts == ["held"])
            }
            let held = try await server.held()
            #expect(held.count == 1)
            // Numbers of another space mean nothing here.
            try await server.withEngine { try await $0.drop(held.map(\.id), in: other) }
            #expect(try await server.replay(NoFault.self, isDryRun: true) == ["applied"])
            #expect(try await server.replay(NoFault.self) == ["applied"])
            #expect(try await server.held(in: other).count == 1)
        }
    }
}

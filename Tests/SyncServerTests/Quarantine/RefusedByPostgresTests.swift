import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// P10: what PostgreSQL does not take of a push, though the plan allows it, is found and held; the rest is stored.
@Suite struct RefusedByPostgresTests {
    /// Too long for an index even when it is compressed.
    private static func oversized(_ seed: UInt64) -> JSONValue {
        var random = SplitMix64(seed: seed)
        return .string((0..<700).map { _ in String(random.next(), radix: 36) }.joined())
    }

    private func items(_ count: Int, from first: Int64 = 1, name: (Int) -> JSONValue) -> [JSONValue] {
        (0..<count).map { .create("Item", .random(), ["name": name($0)], at: moment(first + Int64($0))) }
    }

    @Test(
        "P10: a unique value too long for its index is held, and 99 other changes are stored",
        arguments: [
            [42],
            [0, 99], [3, 4, 70],
        ])
    func theOthersAreStored(culprits: [Int]) async throws {
        try await withShop { server in
            let changes = items(100) { culprits.contains($0) ? Self.oversized(UInt64($0)) : .string("item \($0)") }
            let phone = server.device("2.0.0")
            for verdict in ["applied", "unchanged"] {
                let answer = try await phone.send(changes)
                for (index, found) in answer.verdicts.enumerated() {
                    #expect(found == (culprits.contains(index) ? "held" : verdict))
                }
                #expect(answer.codes[culprits[0]] == "database-refused")
                #expect(try await server.held().count == culprits.count)
            }
            #expect(try await server.view("2.0.0")["Item"]?.count == 100 - culprits.count)
            let held = try #require(try await server.held().first)
            #expect(held.reason.detail.hasPrefix("[54000]"))
            #expect(held.content.bytes == changes[culprits[0]].bytes)
            // Nothing was fixed, so it stays.
            #expect(try await server.replay(NoFault.self).allSatisfy { $0 == "held" })
            try await server.asOwner("DROP INDEX shop.item_space_id_name_idx")
            #expect(try await server.replay(NoFault.self).allSatisfy { $0 == "applied" })
            #expect(try await server.view("2.0.0")["Item"]?.count == 100)
        }
    }

    @Test(
        "P10: however many changes of a big push PostgreSQL refuses, the others are stored, if the quarantine has room"
    )
    func manyOfManyAreFound() async throws {
        try await withShop { server in
            let culprits = Set((0..<9).map { $0 * 555 + 7 }).union([4_999])
            let changes = items(5_000) { culprits.contains($0) ? Self.oversized(UInt64($0)) : .string("item \($0)") }
            let answer = try await server.device("2.0.0").push(changes)
            let held = answer.verdicts.indices.filter { answer.verdicts[$0] == "held" }
            #expect(held == culprits.sorted() && answer.applied == Int64(5_000 - culprits.count))
            #expect(try await server.held().count == culprits.count)
        }
    }

    @Test("P10: of several changes of each of many records only those that PostgreSQL refuses are held")
    func theOtherChangesOfARefusedRecordAreStored() async throws {
        try await withShop { server in
            try await server.asOwner("ALTER TABLE shop.item ADD CHECK (note <> 'bad')")
            let ids = (0..<12).map { _ in ID.random() }
            let creations = ids.map { JSONValue.create("Item", $0, ["name": .id($0)], at: moment(1)) }
            let edits = ids.flatMap {
                [
                    JSONValue.update("Item", $0, ["note": "bad"], at: moment(2)),
                    JSONValue.update("Item", $0, ["cents": 5], at: moment(3)),
                ]
            }
            let answer = try await server.device("2.0.0").push(creations + edits)
            #expect(answer.verdicts[..<12].allSatisfy { $0 == "applied" })
            #expect(answer.verdicts[12...].enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? "held" : "applied") })
        }
    }

    @Test func aConstraintThatThePlanKnowsNothingOfHoldsToo() async throws {
        let constraints = [
            "ALTER TABLE shop.item ADD CHECK (note <> 'bad')",
            // Speaks only at the transaction's end.
            """
            CREATE FUNCTION shop.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.note = 'bad' THEN RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = 'bad'; END IF;
                RETURN NULL;
            END $$
            """,
            """
            CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE ON shop.item DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION shop.refuse()
            """,
        ]
        for constraints in [constraints[..<1], constraints[1...]] {
            try await withShop { server in
                for sql in constraints { try await server.asOwner(sql) }
                let (one, other) = (ID.random(), ID.random())
                let answer = try await server.device("2.0.0").push([
                    .create("Item", one, ["name": "a"], at: moment(1)),
                    .create("Item", other, ["name": "b"], at: moment(2)),
                    .update("Item", one, ["note": "bad"], at: moment(3)),
                    .update("Item", one, ["cents": 5], at: moment(4)),
                ])
                #expect(answer.verdicts == ["applied", "applied", "held", "applied"])
                #expect(try await server.view("2.0.0")["Item"]?[one.description]?["cents"] == 5)
            }
        }
    }

    /// As where somebody else's later edit of the attribute comes in between: the value is no longer written.
    @Test("P10: a change that PostgreSQL refuses once, and takes when tried again, is not held, nor is another")
    func whatPassesTheNextTimeIsNotHeld() async throws {
        try await withShop { server in
            try await server.asOwner("CREATE SEQUENCE shop.tries")
            try await server.asOwner("GRANT USAGE ON SEQUENCE shop.tries TO syncserver_serving")
            // A sequence goes on even where the transaction is rolled back.
            try await server.asOwner(
                "ALTER TABLE shop.item ADD CHECK (name <> 'item 1' OR nextval('shop.tries') > 1)")
            let answer = try await server.device("2.0.0").push(items(5) { .string("item \($0)") })
            #expect(answer.verdicts.allSatisfy { $0 == "applied" })
            #expect(try await server.held().isEmpty)
        }
    }

    /// The update came first, when the record was unknown.
    @Test("P10: one replay merges an update too that was held before another device's creation of its record")
    func anUpdateThatWasHeldBeforeItsCreationIsReplayedAfterIt() async throws {
        try await withShop { server in
            try await server.asOwner("ALTER TABLE shop.item ADD CONSTRAINT good CHECK (note <> 'bad')")
            let (phone, tablet, id) = (server.device("2.0.0"), server.device("2.0.0"), ID.random())
            let update = try await phone.push([.update("Item", id, ["note": "bad", "cents": 7], at: moment(2))])
            let create = try await tablet.push([.create("Item", id, ["name": "a", "note": "bad"], at: moment(1))])
            #expect(update.verdicts + create.verdicts == ["held", "held"])
            try await server.asOwner("ALTER TABLE shop.item DROP CONSTRAINT good")
            #expect(try await server.replay(NoFault.self) == ["applied", "applied"])
            #expect(try await server.held().isEmpty)
            #expect(try await server.view("2.0.0")["Item"]?[id.description]?["cents"] == 7)
        }
    }

    @Test func whatIsNotAboutTheDataIsNotHeld() async throws {
        try await withShop { server in
            try await server.asOwner("REVOKE INSERT ON shop.item FROM syncserver_serving")
            let refused = await #expect(throws: TestDevice.Refused.self) {
                try await server.device("2.0.0").push(items(3) { .string("item \($0)") })
            }
            #expect(refused?.reply.isProblem(500, "internal") == true)
            #expect(try await server.held().isEmpty)
        }
    }

    @Test("P9: a space's quarantine has a limit, beyond which a push is refused as a whole")
    func thereIsALimit() async throws {
        try await withShop { server in
            func bad(_ count: Int, from first: Int64) -> [JSONValue] {
                (0..<count).map {
                    .create("Item", .random(), ["name": "x", "price": "13"], at: moment(first + Int64($0)))
                }
            }
            let phone = server.device("1.0.0")
            let full = bad(1_000, from: 1)
            #expect(try await phone.send(full).verdicts.allSatisfy { $0 == "held" })
            let before = try await server.contents()
            let good = JSONValue.create("Item", .random(), ["name": "a"], at: moment(1))
            let refused = await #expect(throws: TestDevice.Refused.self) {
                try await phone.push([good] + bad(1, from: 2_000))
            }
            #expect(refused?.reply.isProblem(503, "quarantine-full") == true)
            #expect(refused?.reply["retry-after"] != nil)
            #expect(try await server.contents() == before)
            // Nothing is lost: it is still to be sent. And what is held may be sent again.
            #expect(await phone.outbox.count == 2)
            #expect(try await phone.send(full + [good]).verdicts.last == "applied")
            #expect(try await server.replay(NoFault.self, isDryRun: true).count == 1_000)
        }
    }

    @Test func aPlantedFaultThatStoresNothingIsSeen() async throws {
        // What the tests above look at: as many held as were called held.
        func lost(_ server: TestServer) async throws -> Int {
            let changes =
                items(3) { _ in "n" }.map { $0 } + [
                    .create("Item", .random(), ["name": "x", "price": "13"], at: moment(9))
                ]
            let answer = try await server.device("1.0.0").push(changes)
            return try await answer.verdicts.count { $0 == "held" } - server.held().count
        }
        try await withShop { server in
            let lost = try await lost(server)
            #expect(lost == 0)
        }
        try await withShop { server in
            try await server.asOwner("CREATE RULE planted AS ON INSERT TO sync.quarantine DO INSTEAD NOTHING")
            #expect(try await lost(server) == 1)
        }
    }
}

/// Tests of the number of transactions that find what PostgreSQL refuses.
@Suite struct FaultBisectionTests {
    private func search(_ count: Int, _ culprits: Set<Int>) async throws -> (held: [Int], trials: Int) {
        let error = PGError(ServerReport(sqlState: "23514", message: "no"))
        var search = FaultBisection()
        var (held, trials) = ([Int](), 0)
        while true {
            let open = (0..<count).filter { !held.contains($0) }
            if culprits.isDisjoint(with: open) { return (held.sorted(), trials) }
            let found = try await search.next(in: open, refusedBy: error) { indices in
                trials += 1
                return culprits.isDisjoint(with: indices) ? nil : error
            }
            held += found.keys
        }
    }

    @Test func eachIsFoundByHalves() async throws {
        for culprits in [[0], [4_999], [17], [0, 1, 2], [10, 2_000, 4_999]] as [Set<Int>] {
            let (held, trials) = try await search(5_000, culprits)
            #expect(held == culprits.sorted())
            #expect(trials <= 14 * culprits.count)
        }
    }

    /// It passes by itself because somebody else has pushed since, or it is refused only beside others.
    @Test func whatPassesByItselfIsTriedAgainBeforeItIsHeld() async throws {
        let id = ID.random()
        let error = PGError(ServerReport(sqlState: "23514", message: "no"))
        var isolation = FaultIsolation()
        func held() async throws -> [Int] {
            try await isolation.culprits(among: [(0, id), (1, id)], refusedBy: error) {
                [id: error]
            } refusal: { _ in
                nil
            }.keys.sorted()
        }
        for _ in 1...2 { #expect(try await held() == []) }
        #expect(try await held() == [0, 1])
    }

    @Test func thereIsALimitToTheSearch() async throws {
        let (held, trials) = try await search(1_000, Set(100..<1_000))
        #expect(held == Array(100..<1_000))
        #expect(trials <= 64)
    }
}

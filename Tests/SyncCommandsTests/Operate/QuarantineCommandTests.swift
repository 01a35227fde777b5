import PGStore
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver quarantine`, as an operator runs it.
@Suite struct QuarantineCommandTests {
    private func withHeldMeals(_ body: (TestServer, ([String]) async throws -> CommandRun) async throws -> Void)
        async throws
    {
        try await withTestServer { server in
            try await server.database.run(
                "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT fixed CHECK (notes NOT LIKE 'secret%')")
            let changes = (1...3).map { number -> JSONValue in
                let fields: [String: JSONValue] = [
                    "mealType": "lunch", "notes": .string(number == 2 ? "n" : "secret \(number)"),
                ]
                return .create("SDMeal", .random(), fields, at: moment(Int64(number)))
            }
            #expect(try await server.device("0.0.6").push(changes).verdicts == ["held", "applied", "held"])
            try await body(server) { words in
                try await CommandRun(["quarantine"] + words, database: server.database.connectionString)
            }
        }
    }

    private func json(_ run: CommandRun) throws -> JSONValue { try JSONValue(parsing: Array(run.output.utf8)) }

    @Test func listShowsWhatIsHeldAndNoValues() async throws {
        try await withHeldMeals { server, quarantine in
            let list = try await quarantine(["list"])
            #expect(list.status == 0, "\(list.errors)")
            #expect(list.output.contains("fitiq, space \(server.space)"))
            #expect(list.output.contains("0.0.6") && list.output.contains("SDMeal"))
            #expect(list.output.contains("database-refused"))
            #expect(list.errors.contains("quarantine show"))
            let machine = try await quarantine(["list", "--app", "fitiq", "--space", "\(server.space)", "--json"])
            let held = try json(machine)["held"].elements
            #expect(held.map { $0["entity"] } == ["SDMeal", "SDMeal"])
            #expect(try json(await quarantine(["list", "--space", "\(ID.random())", "--json"]))["held"] == [])
            for text in [list.output, list.errors, machine.output] {
                #expect(!text.contains("secret"))
                #expect(text == machine.output || text.split(separator: "\n").allSatisfy { $0.count <= 100 })
            }

            let id = try #require(held.first?["id"].int)
            let shown = try await quarantine(["show", "\(id)"])
            #expect(shown.output.contains("secret 1") && shown.output.contains("[23514]"))
            let whole = try json(await quarantine(["show", "\(id)", "--json"]))
            #expect(whole["change"]["fields"]["notes"] == "secret 1")
            let missing = try await quarantine(["show", "999"])
            #expect(missing.status == 1 && missing.errors.contains("quarantine list"))
        }
    }

    @Test func replaySaysWhatBecameOfEach() async throws {
        try await withHeldMeals { server, quarantine in
            let ids = try json(await quarantine(["list", "--json"]))["held"].elements.compactMap { $0["id"].int }
            let inVain = try await quarantine(["replay", "--all"])
            #expect(inVain.status == 1)
            #expect(inVain.output.contains("stays") && inVain.output.contains("0 merged, 2 stay"))
            try await server.database.run("ALTER TABLE fitiq.sd_meal DROP CONSTRAINT fixed")
            let dry = try await quarantine(["replay", "--app", "fitiq", "--dry-run"])
            #expect(dry.status == 0 && dry.output.contains("2 would be merged"))
            let one = try json(await quarantine(["replay", "\(ids[0])", "--json"]))
            #expect(one["replayed"] == [["id": .int(ids[0]), "verdict": "applied", "done": true]])
            #expect(try await quarantine(["replay", "--all"]).output.hasSuffix("1 merged, 0 stay\n"))
            #expect(try await server.view("0.0.6")["SDMeal"]?.count == 3)
            #expect(try await quarantine(["list"]).errors.contains("Nothing is held"))
        }
    }

    @Test func dropAsksFirst() async throws {
        try await withHeldMeals { server, quarantine in
            let ids = try json(await quarantine(["list", "--json"]))["held"].elements.compactMap { $0["id"].int }
            let refused = try await quarantine(["drop", "\(ids[0])"])
            #expect(refused.status == 1 && refused.errors.contains("--yes"))
            #expect(!refused.errors.contains("secret"))
            #expect(try await quarantine(["drop", "\(ids[0])", "--yes"]).output == "1 dropped\n")
            let dropped = try json(await quarantine(["drop", "\(ids[1])", "--yes", "--json"]))
            #expect(dropped["dropped"] == [.int(ids[1])])
            #expect(try await quarantine(["drop", "\(ids[1])", "--yes"]).status == 1)
            for words in [
                [], ["list", "1"], ["show"], ["replay"], ["replay", "1", "--all"], ["drop"], ["show", "x"],
            ] {
                #expect(try await quarantine(words).status == 2, "\(words)")
            }
        }
    }
}

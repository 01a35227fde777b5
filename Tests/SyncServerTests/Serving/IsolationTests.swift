import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Promise P8: PostgreSQL's row-level security is a second wall, whatever a statement of ours forgets.
@Suite struct IsolationTests {
    private let other = ID.random()

    @Test func noStatementSeesARowOfAnotherSpace() async throws {
        try await withTwoSpaces { server in
            let session = try await Session.open(server.database.connectionString, role: servingRole)
            for table in tables(server) {
                let counts = try await session.transaction(preamble: [Spaces.entering(server.space)]) { session in
                    let rows = try session.execute(
                        Command(
                            Statement(
                                unchecked: "SELECT count(*), count(*) FILTER (WHERE space_id <> $1) FROM \(table)"),
                            [.id(server.space)]))
                    return (all: rows.int(0, 0), foreign: rows.int(0, 1))
                }
                #expect(counts.foreign == 0, "\(table)")
                #expect(counts.all > 0 || table != "fitiq.sd_meal")
            }
            await session.close()
        }
    }

    /// Not even after a transaction that had said which.
    @Test func withoutASpaceNothingIsSeen() async throws {
        try await withTwoSpaces { server in
            let session = try await Session.open(server.database.connectionString, role: servingRole)
            for entersFirst in [false, true] {
                if entersFirst {
                    try await session.transaction(preamble: [Spaces.entering(server.space)]) { session in
                        try session.execute("SELECT FROM fitiq.sd_meal")
                    }
                }
                for table in tables(server) {
                    let select = Command(Statement(unchecked: "SELECT FROM \(table)"))
                    await #expect(throws: PGError.self, "\(table)") { try await session.execute(select) }
                }
            }
            await session.close()
        }
    }

    @Test func noStatementWritesARowOfAnotherSpace() async throws {
        try await withTwoSpaces { server in
            let session = try await Session.open(server.database.connectionString, role: servingRole)
            let before = try await server.contents()
            let foreign: [Statement] = [
                "INSERT INTO sync.space (app, space_id) VALUES ('other', $1)",
                "INSERT INTO sync.mark VALUES ($1, 'fitiq', now(), 1)",
                "INSERT INTO sync.clamp VALUES ($1, 'fitiq', $1, 1, 1)",
                """
                INSERT INTO fitiq.sd_meal (space_id, id, seq, alive, stamp, born, died, raw_input, meal_type, status,
                    logged_at, created_at, sync_status)
                VALUES ($1, $1, 1, true, 1, 1, 0, '', '', '', now(), now(), '')
                """,
                "UPDATE fitiq.sd_meal SET space_id = $1", "UPDATE sync.space SET space_id = $1",
            ]
            for statement in foreign {
                await #expect(throws: PGError.self, "\(statement.sql)") {
                    try await session.transaction(preamble: [Spaces.entering(server.space)]) { session in
                        try session.execute(Command(statement, [.id(other)]))
                    }
                }
            }
            // These touch what the space has only.
            try await session.transaction(preamble: [Spaces.entering(server.space)]) { session in
                try session.execute("UPDATE fitiq.sd_meal SET notes = 'seen' WHERE true")
                try session.execute("DELETE FROM fitiq.sd_meal_log_item WHERE true")
            }
            await session.close()
            let after = try await server.contents()
            #expect(
                before.filter { !$0.hasPrefix("sd_meal_log_item") }
                    == after.filter { !$0.hasPrefix("sd_meal_log_item") })
            #expect(after.contains("sd_meal_log_item 1 2"), "\(after)")
            let token = try await server.makeToken(spaces: [other])
            let outsider = server.device(space: other, token: token)
            try await outsider.pullAll()
            #expect(await outsider.store["SDMeal"]?.values.first?["notes"] == "theirs")
        }
    }

    @Test func theServingRoleCannotChangeTokensOrTables() async throws {
        try await withTwoSpaces { server in
            let session = try await Session.open(server.database.connectionString, role: servingRole)
            let forbidden: [Statement] = [
                "INSERT INTO sync.token (secret_hash, subject, role, spaces) VALUES ('', '', 'write', '{}')",
                "UPDATE sync.token SET role = 'write'", "DELETE FROM sync.token",
                "UPDATE sync.server SET is_only = true", "DELETE FROM sync.directory",
                "INSERT INTO sync.directory VALUES ('fitiq', gen_random_uuid())",
                "ALTER TABLE fitiq.sd_meal DISABLE ROW LEVEL SECURITY", "DROP TABLE fitiq.sd_meal",
                "CREATE TABLE fitiq.mine (id uuid)", "TRUNCATE fitiq.sd_meal", "DELETE FROM sync.migration",
                "DROP POLICY space ON fitiq.sd_meal",
            ]
            for statement in forbidden {
                await #expect(throws: PGError.self, "\(statement.sql)") {
                    try await session.execute(Command(statement))
                }
            }
            await session.close()
        }
    }

    private let servingRole = "syncserver_serving"

    private func tables(_ server: TestServer) -> [String] {
        server.plan.hub.entities.map { "fitiq.\($0.table)" } + ["sync.space", "sync.clamp", "sync.mark"]
    }

    /// A server with a meal and an item in each of two spaces.
    private func withTwoSpaces(_ body: (TestServer) async throws -> Void) async throws {
        try await withTestServer { server in
            let token = try await server.makeToken(spaces: [other])
            for (device, notes) in [(server.device(), "mine"), (server.device(space: other, token: token), "theirs")] {
                try await device.push([
                    .create("SDMeal", .random(), ["notes": .string(notes)], at: moment(1)),
                    .create("SDMealLogItem", .random(), at: moment(1)),
                ])
            }
            try await body(server)
        }
    }
}

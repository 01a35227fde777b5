import DemoApps
import PGMigrations
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// docs/migrations.md, *The way back*: what the release before serves, once a newer one has served.
@Suite struct WayBackTests {
    /// A file that the newer release brings, and whether the one before serves what that has written.
    struct Addition: CustomTestStringConvertible, Sendable {
        let sql: String
        let isServed: Bool
        var testDescription: String { sql }
    }

    static let additions: [Addition] = [
        Addition(
            sql: "-- migrate: transaction=none\nCREATE INDEX CONCURRENTLY IF NOT EXISTS meal_notes "
                + "ON fitiq.sd_meal (space_id, notes)",
            isServed: true),
        Addition(
            sql: "CREATE INDEX ON fitiq.sd_meal (notes); COMMENT ON TABLE fitiq.sd_meal IS 'meals'", isServed: true),
        Addition(sql: "CREATE STATISTICS fitiq.of_meals ON notes, stamp FROM fitiq.sd_meal", isServed: true),
        Addition(sql: "ALTER TABLE fitiq.sd_meal ALTER COLUMN notes SET DEFAULT 'none'", isServed: false),
        Addition(sql: "CREATE UNIQUE INDEX ON fitiq.sd_meal (space_id, id, notes)", isServed: false),
        Addition(sql: "ALTER TABLE fitiq.sd_meal ADD CHECK (seq >= 0)", isServed: false),
        Addition(
            sql: "CREATE INDEX ON fitiq.sd_meal (notes);\nALTER TABLE fitiq.sd_meal ADD CHECK (seq >= 0)",
            isServed: false),
    ]

    @Test("The release before serves what a newer one has written, if that has changed no row", arguments: additions)
    func theReleaseBeforeServesWhatItCanRead(addition: Addition) async throws {
        try await withTestServer { old in
            try await withNewer(addition.sql, over: old) { newer in
                let (untouched, token) = (ID.random(), ID.random())
                let tokens = try await old.makeToken(spaces: [untouched, token])
                let known = ID.random()
                let phone = newer.device()
                try await phone.push([.create("SDMeal", known, ["notes": "new"], at: moment(1))])
                for space in [nil, untouched] {
                    let device = old.device(space: space, token: space == nil ? nil : tokens)
                    let change = JSONValue.update("SDMeal", known, ["notes": "old"], at: moment(2))
                    guard space == nil, !addition.isServed else {
                        #expect(try await device.push([change]).verdicts == ["applied"])
                        #expect(try await device.pullAll().count == 1)
                        continue
                    }
                    await #expect(throws: TestDevice.Refused.self) { try await device.push([change]) }
                    await #expect(throws: TestDevice.Refused.self) { try await device.pullAll() }
                }
                // The newer one goes on with all of it.
                #expect(try await newer.device().push([.update("SDMeal", known, at: moment(3))]).verdicts.count == 1)
                try await phone.pullAll()
                #expect(await phone.value("SDMeal", known, "notes") == (addition.isServed ? "old" : "new"))
            }
        }
    }

    /// Who does not know a column says nothing of it when it edits the record, whether it may be null or not.
    @Test(arguments: [
        ("ALTER TABLE app.meal ADD COLUMN shade text", 2), ("CREATE TABLE app.shade (id uuid)", 2),
        ("CREATE INDEX ON app.meal (id)", 1), ("COMMENT ON TABLE app.meal IS ''; ANALYZE app.meal", 1),
        ("DROP INDEX app.meal_id_idx", 1), ("DROP TABLE app.shade", 2), ("SELECT app.change()", 2),
    ])
    func onlyWhatLeavesRowsAloneClaimsNothing(sql: String, claimed: Int) throws {
        let texts = ["CREATE TABLE app.meal (id uuid)", sql]
        let files = try texts.enumerated().map { index, text in
            try MigrationFile(line: "app", fileName: "000\(index + 1)-do-something.sql", bytes: Array(text.utf8))
        }
        let line = try MigrationLine(name: "app", files: files)
        #expect([line].claimedLevel(of: "app") == claimed && [line].level(of: "app") == 2)
    }

    /// A space that was written by a release that claimed every file stays with the releases that know them.
    @Test func whatWasClaimedBeforeStaysAsItIs() async throws {
        try await withTestServer { old in
            try await withNewer(WayBackTests.additions[0].sql, over: old) { newer in
                try await newer.device().push([.create("SDMeal", .random(), at: moment(1))])
                let level = try Repository.migrations().level(of: "fitiq") + 1
                try await old.asOwner("UPDATE sync.space SET level = \(level)")
                #expect(try await newer.device().pullAll().count == 1)
                await #expect(throws: TestDevice.Refused.self) { try await old.device().pullAll() }
            }
        }
    }

    /// Lends a server of a release that has one more file of the app's line, over the same database.
    private func withNewer(
        _ sql: String, over old: TestServer, _ body: (TestServer) async throws -> Void
    ) async throws {
        let lines = try Repository.migrations()
        let own = try #require(lines.first { $0.name == "fitiq" })
        let number = "\(own.level + 1)"
        let file = try MigrationFile(
            line: "fitiq", fileName: "\(String(repeating: "0", count: 4 - number.count))\(number)-add-something.sql",
            bytes: Array(sql.utf8))
        let newer = try lines.filter { $0.name != "fitiq" } + [MigrationLine(name: "fitiq", files: own.files + [file])]
        try await Migrator(old.database.connectionString, lines: newer).up(contracts: .hold)
        let service = try await RunningServer.start(
            .init(pool: .patient(sessionsMax: 2)), plans: [old.plan], lines: newer,
            database: old.database.servingConnectionString, log: Log(isSilent: true))
        do {
            try await body(old.through(service))
            await service.stop()
        } catch {
            await service.stop()
            throw error
        }
    }
}

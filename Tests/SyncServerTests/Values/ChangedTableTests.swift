import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// A migration of a later release changes a table in place, under a server that does not know of it.
@Suite struct ChangedTableTests {
    /// A change of a column, and how it is undone.
    struct Change: Sendable, CustomTestStringConvertible {
        let column: String
        let type: String
        let before: String
        var using = ""
        var back = ""
        /// True if the column is read by its text, whatever its type.
        var isReadAsText = false

        var testDescription: String { "\(column): \(before) → \(type)" }
    }

    private static let changes = [
        Change(column: "ratio", type: "numeric", before: "double precision"),
        Change(
            column: "price", type: "json", before: "numeric", using: "to_json(price)", back: "price::text::numeric",
            isReadAsText: true),
        Change(column: "count", type: "text", before: "bigint", back: "count::bigint"),
        Change(column: "flag", type: "text", before: "boolean", back: "flag::boolean"),
        Change(column: "found", type: "text", before: "timestamptz", back: "found::timestamptz"),
        Change(column: "grade", type: "json", before: "text", using: "to_json(grade)", back: "grade #>> '{}'"),
        Change(column: "shape", type: "jsonb", before: "json"),
        Change(column: "token", type: "text", before: "uuid", back: "token::uuid"),
        Change(column: "blob", type: "text", before: "bytea", back: "blob::bytea"),
    ]

    @Test("12: an older server answers 503 for a table that a migration changed, says why, and stays alive")
    func aServerOfBeforeAnswers503AndLives() async throws {
        let lines = LogLines()
        try await withTestServer(
            SpecimensPlan.self, migrations: SpecimensPlan.migrations(), log: lines.log
        ) { server in
            let (id, box) = (ID.random(), ID.random())
            let device = server.device("2.0.0")
            try await device.push([.create("Specimen", id, at: moment(1)), .create("Box", box, at: moment(1))])
            let session = try await Session.open(server.database.superuserConnectionString)
            try await session.runScript(SpecimensPlan.unguarding)
            for change in Self.changes {
                let using = change.using.isEmpty ? "\(change.column)::\(change.type)" : change.using
                let back = change.back.isEmpty ? "\(change.column)::\(change.before)" : change.back
                let alter = "ALTER TABLE specimens.specimen ALTER COLUMN \"\(change.column)\" TYPE"
                try await session.runScript("\(alter) \(change.type) USING \(using)")
                try await expectOutdated(server, id, "\(change.testDescription)", pulls: !change.isReadAsText)
                try await session.runScript("\(alter) \(change.before) USING \(back)")
                #expect(try await server.view("2.0.0")["Specimen"]?.count == 1, "\(change.testDescription)")
            }
            try await session.runScript("ALTER TABLE specimens.specimen DROP COLUMN ratio2")
            try await expectOutdated(server, id, "a column less")
            await session.close()
            let logged = lines.all.filter { $0.contains("are not those that this release reads") }
            #expect(logged.first?.contains("ratio") == true, "\(lines.all)")
            #expect(logged.first?.contains("migrate status") == true, "\(lines.all)")
        }
    }

    private func expectOutdated(_ server: TestServer, _ id: ID, _ about: String, pulls: Bool = true) async throws {
        let version: [String: String?] = ["Schema-Version": "2.0.0"]
        for target in [server.path(), server.path() + "?limit=3&stamps=true"] where pulls {
            let reply = try await server.send("GET", target, changing: version)
            #expect(reply.isProblem(503, "server-outdated"), "\(about): \(reply)")
        }
        let push = try await server.post([.update("Specimen", id, ["count": 5], at: moment(2))], changing: version)
        #expect(push.isProblem(503, "server-outdated"), "\(about): \(push)")
        // Those that do not read the table are served on.
        let other = try await server.post([.create("Box", .random(), at: moment(3))], changing: version)
        #expect(other.status == 200, "\(about): \(other)")
        #expect(try await server.isHealthy(), "\(about)")
    }
}

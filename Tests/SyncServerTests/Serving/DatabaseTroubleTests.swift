import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncServer

/// Tests of the answers to clients and operators while PostgreSQL cannot do what it should.
@Suite struct DatabaseTroubleTests {
    struct Trouble: Sendable, CustomTestStringConvertible {
        let sqlState: String
        let status: Int
        let code: String
        /// The log's advice; `nil` where that is PostgreSQL's own business.
        let advice: String?
        var testDescription: String { sqlState }
    }

    private static let troubles = [
        Trouble(sqlState: "53100", status: 503, code: "not-writable", advice: "Make room"),
        Trouble(sqlState: "58030", status: 503, code: "not-writable", advice: "Make room"),
        Trouble(sqlState: "53200", status: 503, code: "overloaded", advice: "more memory"),
        Trouble(sqlState: "53400", status: 503, code: "overloaded", advice: "more memory"),
        Trouble(sqlState: "XX001", status: 500, code: "internal", advice: "restore a backup"),
    ]

    /// PostgreSQL itself reports it, from a trigger.
    @Test(
        "P9: a database in trouble is answered with when to come back, and the log says what to do", arguments: troubles
    )
    func aDatabaseInTroubleIsAnsweredAndLogged(trouble: Trouble) async throws {
        let lines = LogLines()
        try await withTestServer(log: lines.log) { server in
            try await server.database.run(
                """
                CREATE FUNCTION fitiq.fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE USING ERRCODE = '\(trouble.sqlState)', MESSAGE = NEW.notes, DETAIL = NEW.notes; END $$
                """)
            try await server.database.run(
                "CREATE TRIGGER fail BEFORE INSERT ON fitiq.sd_meal FOR EACH ROW EXECUTE FUNCTION fitiq.fail()")
            let reply = try await server.post([.create("SDMeal", .random(), ["notes": "hush"], at: nil)])
            #expect(reply.isProblem(trouble.status, trouble.code), "\(reply)")
            #expect((reply["Retry-After"].flatMap { Int($0) } ?? 0) > 0 || trouble.status == 500, "\(reply)")
            #expect(!reply.text.contains("hush") && !reply.text.contains(trouble.sqlState), "\(reply)")
            let logged = lines.all.filter { $0.contains(trouble.sqlState) }
            #expect(logged.count == 1 && logged[0].contains(trouble.advice ?? ""), "\(lines.all)")
            // Somebody else is served on.
            try await server.database.run("DROP TRIGGER fail ON fitiq.sd_meal")
            try await server.device().push([.create("SDMeal", .random(), ["notes": "hush"], at: moment(1))])
        }
        #expect(!lines.all.contains { $0.contains("hush") }, "\(lines.all)")
    }

    /// As a cloud does when its disk is nearly full, and as the old primary is after a failover.
    @Test("P9: a read-only database still answers pulls, and pushes are stored once it is writable again")
    func aReadOnlyDatabaseAnswersPullsAndIsWrittenAgain() async throws {
        let lines = LogLines()
        try await withTestServer(log: lines.log) { server in
            // Several sessions, all of which will be read-only.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
                    }
                }
                try await group.waitForAll()
            }
            try await server.fromOutside("ALTER DATABASE current SET default_transaction_read_only = on")
            try await server.fromOutside(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(server.database.name)'")
            // Before anybody knows that its session is gone.
            try await eventually("a session is opened") { (try? await server.view("0.1.1")) != nil }
            for _ in 1...3 {
                let reply = try await server.post([.create("SDMeal", .random(), at: nil)])
                #expect(reply.isProblem(503, "not-writable") && reply["Retry-After"] != nil, "\(reply)")
                #expect(try await server.view("0.1.1")["SDMeal"]?.count == 8)
            }
            #expect(lines.all.contains { $0.contains("25006") && $0.contains("default_transaction_read_only") })
            try await server.fromOutside("ALTER DATABASE current RESET default_transaction_read_only")
            // Sessions that began read-only stay so. The last push that was refused left none behind; only the pull
            // after it opened one, which a push may still meet.
            let first = try await server.post([.create("SDMeal", .random(), at: nil)])
            let second = try await server.post([.create("SDMeal", .random(), at: nil)])
            #expect(first.status == 200 || first.isProblem(503, "not-writable"), "\(first)")
            #expect(second.status == 200, "\(second)")
            #expect(lines.all.count { $0.contains("takes what is pushed again") } == 1, "\(lines.all)")
        }
    }
}

extension TestServer {
    /// As superuser in another database; `current` is this one.
    fileprivate func fromOutside(_ sql: String) async throws {
        let session = try await Session.open(database.superuserConnectionString.with(database: "postgres"))
        let statement = sql.replacing("DATABASE current", with: "DATABASE \(database.name)")
        try await session.execute(Command(Statement(unchecked: statement)))
        await session.close()
    }
}

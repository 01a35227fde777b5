import DemoApps
import HTTPServer
import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands
@testable import SyncServer

/// Serving with a login that may serve and nothing else; and what is said where another is used.
@Suite struct OwnLoginTests {
    /// Whatever it tries, what the serving role may is all that it may.
    @Test("P8: a session of the serving login cannot gain more privileges")
    func aSessionOfTheServingLoginHasNoWayToMore() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", .random(), ["notes": "mine"], at: moment(1))])
            let session = try await Session.open(
                server.database.servingConnectionString, role: "syncserver_serving")
            for attempt in [
                "RESET ROLE", "SET ROLE syncserver_owner", "SET ROLE postgres", "SET SESSION AUTHORIZATION DEFAULT",
                "SET SESSION AUTHORIZATION syncserver_owner", "GRANT syncserver_owner TO CURRENT_USER",
                "ALTER ROLE CURRENT_USER BYPASSRLS", "ALTER ROLE syncserver_server CREATEROLE",
                "SET row_security = off",
                "SET session_replication_role = replica", "CREATE ROLE mine IN ROLE syncserver_owner",
            ] {
                _ = try? await session.execute(Command(Statement(unchecked: attempt)))
                for forbidden: Statement in [
                    "SELECT notes FROM fitiq.sd_meal", "UPDATE sync.token SET role = 'write'",
                    "ALTER TABLE fitiq.sd_meal DISABLE ROW LEVEL SECURITY", "SELECT * FROM sync.census_device",
                    "CREATE TABLE fitiq.mine (x int)", "CREATE SCHEMA mine", "UPDATE sync.server SET epoch = NULL",
                    "DROP FUNCTION sync.recognize()", "SELECT pg_read_file('PG_VERSION')",
                    // What could end or list somebody's tokens without having one.
                    "SELECT secret_hash FROM sync.token", "SELECT sync.forget_subject('fitiq', 'test')",
                    "SELECT * FROM sync.memberships('test')", "SELECT * FROM sync.account_erasure",
                ] {
                    await #expect(throws: PGError.self, "\(attempt), \(forbidden.sql)") {
                        try await session.execute(Command(forbidden))
                    }
                }
            }
            await session.close()
            let rights = try await LoginRights.serving(server.database.servingConnectionString)
            #expect(rights.mayServe && rights.powers == [] && rights.warning == nil && !rights.mayActAsOwner)
        }
    }

    @Test("M30: a login that may do more still serves, and its warning says what to do instead")
    func aLoginThatMayDoMoreIsReported() async throws {
        let lines = try Repository.migrations()
        try await withTestDatabase(migrated: lines) { database in
            for (string, fault) in [
                (database.connectionString, "what the owner of the tables may"),
                (database.superuserConnectionString, "is a superuser"),
            ] {
                let log = LogLines()
                let service = try await RunningServer.start(
                    .init(), plans: [try Plan(fitIQ)], lines: lines, database: string, log: log.log)
                await service.stop()
                #expect(log.all.count == 1 && log.all[0].contains(fault), "\(log.all)")
                #expect(log.all.first?.contains("IN ROLE syncserver_serving") == true, "\(log.all)")
            }
            let log = LogLines()
            let service = try await RunningServer.start(
                .init(), plans: [try Plan(fitIQ)], lines: lines,
                database: database.servingConnectionString,
                log: log.log)
            await service.stop()
            #expect(log.all == [])
        }
    }

    @Test("M30: the doctor finds a running server with more privileges than it needs, and that no login has fewer")
    func theDoctorFindsWhoServesWithMoreThanItNeeds() async throws {
        let lines = try Repository.migrations()
        try await withTestDatabase(migrated: lines) { database in
            let doctor = try Doctor.ofRepository(database.connectionString)
            func found() async throws -> [Diagnosis.Finding] {
                try await doctor.examine().findings.filter { $0.check == .role }
            }
            let good = try await ServerRegistration.announce(
                database.servingConnectionString, role: "syncserver_serving", lines)
            #expect(try await found() == [])
            let bad = try await ServerRegistration.announce(database.connectionString, lines)
            let findings = try await found()
            #expect(findings.map(\.object) == ["role syncserver_owner"], "\(findings)")
            #expect(findings.first?.severity == .warning)
            #expect(findings.first?.remedy.contains("syncserver_server") == true)
            await good.end()
            await bad.end()
            #expect(try await found() == [])
        }
    }

    /// Each wrong order ends in words that name the next command.
    @Test func everyWrongOrderSaysWhatToDo() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let serving = database.servingConnectionString
            let space = ID.random().description
            for words in [
                ["migrate", "up"], ["migrate", "status"], ["migrate", "doctor"],
                ["token", "create", "--app", "fitiq", "--subject", "ada", "--role", "write", "--space", space],
                ["census"], ["epoch", "--renew", "--yes"],
            ] {
                let run = try await CommandRun(words, database: serving)
                #expect(run.status == 1, "\(words)")
                for word in ["syncserver_server", "Log in as syncserver_owner", "DATABASE_URL"] {
                    #expect(run.errors.contains(word), "\(words): \(run.errors)")
                }
            }
            try await database.withOtherLogin { other, name in
                let run = try await CommandRun(["serve", "--port", "0"], database: other)
                #expect(run.status == 1 && run.errors.contains("GRANT syncserver_serving TO \(name);"), "\(run.errors)")
            }
        }
        try await withTestDatabase { database in
            let serving = database.servingConnectionString
            let token = ["token", "create", "--app", "fitiq", "--subject", "ada", "--role", "write"]
            for (words, login) in [
                (["serve", "--port", "0"], serving), (token + ["--space", ID.random().description], serving),
                (token + ["--space", ID.random().description], database.connectionString),
                (["epoch", "--renew", "--yes"], database.connectionString),
            ] {
                let run = try await CommandRun(words, database: login)
                #expect(run.status == 1 && run.errors.contains("syncserver migrate up"), "\(words): \(run.errors)")
            }
        }
    }

    private let fitIQ = FitIQPlan.self
}

extension TestDatabase {
    /// Lends a login that nobody has granted anything.
    fileprivate func withOtherLogin(_ body: (ConnectionString, String) async throws -> Void) async throws {
        let login = "stranger_\(name)"
        let session = try await Session.open(superuserConnectionString)
        try await session.execute(Command(Statement(unchecked: "CREATE ROLE \(login) LOGIN")))
        do {
            try await body(connectionString.with(user: login), login)
            try await session.execute(Command(Statement(unchecked: "DROP ROLE \(login)")))
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }
}

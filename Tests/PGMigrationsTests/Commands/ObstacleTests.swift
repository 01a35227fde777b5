import Postgres
import SyncCommands
import SyncTestSupport
import SyncTesting
import Testing

/// Settings of a database or a login that make work impossible: each command names the setting and its remedy.
@Suite struct ObstacleTests {
    /// A setting, and the object that has it.
    struct Obstacle: Sendable, CustomTestStringConvertible {
        let setting: String
        let value: String
        /// The object in `ALTER`'s syntax, with `current` for the database.
        let target: String
        var testDescription: String { "\(setting) of \(target)" }

        func statement(_ database: TestDatabase, _ action: String) -> String {
            "ALTER \(target.replacing("current", with: database.name)) \(action)"
        }
    }

    private static let obstacles = [
        ("default_transaction_read_only", "on"), ("role", "syncserver_serving"),
    ].flatMap { setting, value in
        ["DATABASE current", "ROLE syncserver_owner IN DATABASE current"].map {
            Obstacle(setting: setting, value: value, target: $0)
        }
    }

    /// Runs a statement as superuser, in a session of its own.
    private func say(_ sql: String, _ database: TestDatabase) async throws {
        let session = try await Session.open(database.superuserConnectionString.with(database: "postgres"))
        try await session.runScript(sql)
        await session.close()
    }

    @Test(arguments: obstacles)
    func eachCommandNamesTheSettingAndWhatTakesItBack(obstacle: Obstacle) async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await say(obstacle.statement(database, "SET \(obstacle.setting) = '\(obstacle.value)'"), database)
            let remedy = obstacle.statement(database, "RESET \(obstacle.setting);")
            let string = database.connectionString
            for words in [
                ["migrate", "up"], ["migrate", "plan"],
                ["token", "create", "--app", "fitiq", "--subject", "anna", "--role", "write"],
            ] {
                let run = try await CommandRun(words, database: string)
                let text = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(run.status == 1 && text.contains("setting \(obstacle.setting)"), "\(words): \(run)")
                #expect(text.contains(remedy), "\(words): \(run)")
            }
            let doctor = try await CommandRun(["migrate", "doctor"], database: string)
            let text = doctor.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(doctor.status == 1 && text.contains("error: setting \(obstacle.setting) [settings]"), "\(doctor)")
            #expect(text.contains(remedy), "\(doctor)")
            // The remedy works when the role that migrates runs it.
            let session = try await Session.open(database.superuserConnectionString)
            try await session.runScript("SET ROLE NONE")
            try await session.runScript("SET default_transaction_read_only = off")
            try await session.runScript(remedy)
            await session.close()
            let again = try await CommandRun(["migrate", "up"], database: string)
            #expect(again.status == 0, "\(again)")
        }
    }

    /// The database is read-only from the start.
    @Test func aServerNamesTheSettingThatKeepsItFromStarting() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await say("ALTER DATABASE \(database.name) SET default_transaction_read_only = on", database)
            let words = ["serve", "--port", "0", "--allow-unfrozen"]
            let run = try await CommandRun(words, database: database.servingConnectionString)
            let text = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(run.status == 1 && text.contains("setting default_transaction_read_only"), "\(run)")
            #expect(
                text.contains(
                    "SET default_transaction_read_only = off; ALTER DATABASE \(database.name) RESET "
                        + "default_transaction_read_only;"), "\(run)")
        }
    }

    /// A person who logs in with an own role and works as the owner has nothing to fix.
    @Test func aRoleThatMayDoAllIsNoObstacle() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let superuser = try await Session.open(database.superuserConnectionString)
            let login = try await superuser.execute("SELECT session_user::text").string(0, 0)
            await superuser.close()
            let target = "ROLE \"\(login)\" IN DATABASE \(database.name)"
            try await say("ALTER \(target) SET role = 'syncserver_owner'", database)
            let run = try await CommandRun(["migrate", "up"], database: database.superuserConnectionString)
            #expect(run.status == 0, "\(run)")
            try await say("ALTER \(target) RESET role", database)
        }
    }

    @Test func verifyingADatabaseThatNothingMadeIsAnError() async throws {
        try await withTestDatabase { database in
            for words in [["migrate", "verify"], ["migrate", "verify", "--json"]] {
                let run = try await CommandRun(words, database: database.connectionString)
                #expect(run.status == 1 && !run.output.contains("Everything holds"), "\(run)")
                #expect(run.errors.contains("No migration has run in this database"), "\(run)")
            }
            #expect(try await CommandRun(["migrate", "up"], database: database.connectionString).status == 0)
            let run = try await CommandRun(["migrate", "verify"], database: database.connectionString)
            #expect(run.status == 0 && run.output.contains("Everything holds."), "\(run)")
        }
    }
}

import DemoApps
import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver migrate doctor`: each planted fault is found, its remedy fixes it, and nothing else is found.
@Suite struct DoctorTests {
    /// A fault of one database, and the expected finding.
    struct Fault: Sendable, CustomTestStringConvertible {
        let check: Diagnosis.Check
        let sql: String
        let object: String
        let remedy: String
        /// True if the remedy is SQL that fixes the whole fault.
        var isMended = true

        var testDescription: String { "\(check.rawValue): \(object)" }
    }

    private static let faults = [
        Fault(
            check: .invalidIndex,
            sql: "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'fitiq.sd_meal_space_id_seq_idx'::regclass",
            object: "index fitiq.sd_meal (sd_meal_space_id_seq_idx)", remedy: "REINDEX INDEX CONCURRENTLY"),
        Fault(
            check: .notValid, sql: "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT few CHECK (seq < 9) NOT VALID",
            object: "constraint fitiq.sd_meal (few)", remedy: "ALTER TABLE fitiq.sd_meal VALIDATE CONSTRAINT few;",
            isMended: false),
        Fault(
            check: .disabledTrigger, sql: "ALTER TABLE sync.space DISABLE TRIGGER list_space",
            object: "trigger sync.space (list_space)", remedy: "ALTER TABLE sync.space ENABLE TRIGGER list_space;"),
        Fault(
            check: .wall, sql: "ALTER TABLE fitiq.sd_meal NO FORCE ROW LEVEL SECURITY", object: "table fitiq.sd_meal",
            remedy: "FORCE ROW LEVEL SECURITY;"),
        Fault(
            check: .wall, sql: "REVOKE DELETE ON fitiq.sd_meal FROM syncserver_serving", object: "table fitiq.sd_meal",
            remedy: "GRANT DELETE ON fitiq.sd_meal TO syncserver_serving;"),
        Fault(
            check: .autovacuum, sql: "ALTER TABLE fitiq.sd_meal SET (autovacuum_enabled = off)",
            object: "table fitiq.sd_meal", remedy: "RESET (autovacuum_enabled);"),
        Fault(
            check: .outOfBand, sql: "DROP INDEX fitiq.sd_meal_space_id_seq_idx",
            object: "index fitiq.sd_meal (sd_meal_space_id_seq_idx)", remedy: "CREATE INDEX sd_meal_space_id_seq_idx"),
        Fault(
            check: .outOfBand, sql: "CREATE INDEX few ON fitiq.sd_meal (space_id, notes)",
            object: "index fitiq.sd_meal (few)", remedy: "write the file that makes it", isMended: false),
        Fault(
            check: .outOfBand, sql: "ALTER TABLE fitiq.sd_meal ALTER COLUMN seq SET DEFAULT 1",
            object: "column fitiq.sd_meal.seq", remedy: "Change it back by hand", isMended: false),
        Fault(
            check: .connections, sql: "ALTER DATABASE current CONNECTION LIMIT 20", object: "sessions",
            remedy: "CONNECTION LIMIT -1;"),
        Fault(
            check: .settings, sql: "ALTER DATABASE current SET track_counts = off", object: "setting track_counts",
            remedy: "RESET track_counts;"),
        Fault(
            check: .settings, sql: "ALTER DATABASE current SET standard_conforming_strings = off",
            object: "setting standard_conforming_strings", remedy: "RESET standard_conforming_strings;"),
        Fault(
            check: .settings, sql: "ALTER ROLE syncserver_server IN DATABASE current SET DateStyle = 'SQL, DMY'",
            object: "setting DateStyle", remedy: "ALTER ROLE syncserver_server IN DATABASE "),
        Fault(
            check: .ledger, sql: "UPDATE sync.migration SET checksum = '' WHERE line = 'fitiq' AND number = 4",
            object: "migration fitiq/0004-create-mood-entries.sql (changed)", remedy: "Restore the file",
            isMended: false),
        Fault(
            check: .ledger, sql: "DELETE FROM sync.migration WHERE line = 'fitiq' AND number = 4",
            object: "migration fitiq/0004-create-mood-entries.sql (out-of-order)", remedy: "Renumber it",
            isMended: false),
        Fault(
            check: .ledger, sql: "INSERT INTO sync.migration VALUES ('fitiq', 99, 'be-new', '', now(), 0)",
            object: "migration fitiq/0099-be-new.sql (future)", remedy: "Use the release", isMended: false),
        Fault(
            check: .ledger, sql: "INSERT INTO sync.migration VALUES ('fitiq', 0, 'be-gone', '', now(), 0)",
            object: "migration fitiq/0000-be-gone.sql (missing)", remedy: "Restore the file", isMended: false),
        Fault(
            check: .census, sql: "INSERT INTO sync.space (app, space_id) VALUES ('fitiq', gen_random_uuid())",
            object: "census", remedy: "syncserver serve", isMended: false),
    ]

    @Test("M29: a change around the ledger, or another fault, is found and fixed", arguments: faults)
    func aFaultIsFoundAndMended(fault: Fault) async throws {
        try await withTestDatabase(migrated: Repository.migrations(of: Self.app)) { database in
            try await database.change(fault.sql)
            let found = try await findings(database)
            #expect(found.map(\.check) == [fault.check], "\(found)")
            #expect(
                found.first?.object == fault.object && found.first?.remedy.contains(fault.remedy) == true, "\(found)")
            guard fault.isMended, let remedy = found.first?.remedy else { return }
            try await database.change(remedy)
            #expect(try await findings(database) == [])
        }
    }

    @Test func aDatabaseWithoutFaultsIsInOrder() async throws {
        try await withTestDatabase(migrated: Repository.migrations(of: Self.app)) { database in
            let found = try await findings(database)
            #expect(found == [])
        }
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let found = try await findings(database, app: nil)
            #expect(found == [])
        }
    }

    @Test func tablesThatAreWhatTheFilesMakeMayLackWhatThePlansNeed() async throws {
        // All findings are listed before the meal's name.
        let lines = try Repository.migrations(of: Self.app).cut("fitiq", after: 10)
        try await withTestDatabase(migrated: lines) { database in
            let doctor = try Doctor.ofRepository(database.connectionString, app: Self.app, lines: lines)
            let found = try await doctor.examine().findings.filter { $0.check == .plan }
            #expect(found.count == 1 && found[0].object == "table fitiq.sd_meal.name", "\(found)")
        }
    }

    @Test func aDatabaseInTheMiddleOfARolloutIsInOrder() async throws {
        let lines = try Repository.migrations(of: Self.app)
        let before = try lines.cut("fitiq", after: 6)
        try await withTestDatabase(migrated: before) { database in
            #expect(try await findings(database) == [])
            let run = try await Migrator(database.connectionString, lines: lines).up()
            #expect(!run.left.isEmpty)
            #expect(try await findings(database) == [])
            // A constraint that a pending contract does not validate.
            try await database.change("ALTER TABLE fitiq.sd_meal_log_item DROP COLUMN unit")
            #expect(try await findings(database).map(\.object).contains("column fitiq.sd_meal_log_item.unit"))
        }
    }

    @Test func openTransactionsAreFound() async throws {
        try await withTestDatabase(migrated: Repository.migrations(of: Self.app)) { database in
            let (idle, busy) = (try await database.session(), try await database.session())
            try await idle.execute(Command("BEGIN"))
            let gate = Gate()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    _ = try? await busy.execute(Command("SELECT pg_sleep(600)"))
                    gate.open()
                }
                let pids = (await idle.serverProcessID, await database.sleepingProcessID())
                let found = try await findings(database, DoctorLimits(transactionMax: .zero))
                #expect(Set(found.map(\.check)) == [.idleInTransaction, .oldTransaction], "\(found)")
                let remedies = Set(found.map(\.remedy))
                #expect(remedies == Set([Int64(pids.0), pids.1].map { "SELECT pg_terminate_backend(\($0));" }))
                #expect(try await findings(database) == [])
                for remedy in remedies { try await database.change(remedy) }
                await gate.wait()
                try await group.waitForAll()
            }
            let left = try await findings(database, DoctorLimits(transactionMax: .zero))
            #expect(left.isEmpty, "\(left)")
        }
    }

    @Test("M31: a PostgreSQL that is too old is found, and so is a row that is too old")
    func limitsThatNoTestReachesAreKept() async throws {
        try await withTestDatabase(migrated: Repository.migrations(of: Self.app)) { database in
            let age = try await findings(database, DoctorLimits(transactionAgeMax: 0))
            #expect(age.map(\.check) == [.transactionAge] && age[0].severity == .error)
            let version = try await findings(database, DoctorLimits(majorMin: 99))
            #expect(version.map(\.check) == [.version] && version[0].fault.contains("99"))
        }
    }

    @Test func aMachineWhoseClockIsWrongIsFound() async throws {
        try await withTestDatabase(migrated: Repository.migrations(of: Self.app)) { database in
            for off in [Duration.seconds(86_400), .seconds(-40)] {
                let doctor = try Doctor.ofRepository(
                    database.connectionString, app: Self.app, host: WrongClock(by: off).host)
                let found = try await doctor.examine().findings.filter { $0.check == .clock }
                #expect(found.map(\.severity) == [.error], "\(found)")
            }
        }
    }

    @Test func whatCannotBeLookedAtIsSaid() async throws {
        try await withTestDatabase(migrated: Repository.migrations(of: Self.app)) { database in
            try await database.withLogin { login in
                let diagnosis = try await Doctor.ofRepository(login, app: Self.app).examine()
                #expect(diagnosis.unchecked.contains { $0.contains("out-of-band") && $0.contains("CREATEDB") })
            }
        }
    }

    @Test func theCommandSaysWhatToDoAndFitsTheScreen() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await database.change("ALTER TABLE fitiq.sd_meal NO FORCE ROW LEVEL SECURITY")
            let run = try await CommandRun(["migrate", "doctor"], database: database.connectionString)
            #expect(run.status == 1 && run.fitsScreen, "\(run.errors)")
            for words in [
                "The login syncserver_owner owns 55 tables and may make roles and databases. ",
                "error: table fitiq.sd_meal [wall]\n", "warning: setting autovacuum [settings]\n",
                "Start PostgreSQL without ‘-c fsync=off’.", "Errors: 4, warnings: 1.",
            ] {
                #expect(run.output.contains(words), "\(words)\n\(run.output)")
            }
            let json = try await CommandRun(["migrate", "doctor", "--json"], database: database.connectionString)
            let diagnosis = try JSONValue(parsing: Array(json.output.utf8))
            #expect(json.status == 1 && diagnosis["healthy"] == false && diagnosis["findings"].elements.count == 5)
        }
    }

    /// The findings about settings that make the tests' own server fast; they apply to each of its databases.
    private static let ofTestServer = ["fsync", "full_page_writes", "synchronous_commit", "autovacuum"]

    /// The app whose files and plan most examinations go by: each runs all files of its apps once more.
    private static let app = "fitiq"

    /// Returns the other findings.
    private func findings(
        _ database: TestDatabase, _ limits: DoctorLimits = DoctorLimits(), app: String? = Self.app
    ) async throws -> [Diagnosis.Finding] {
        let doctor = try Doctor.ofRepository(database.connectionString, limits, app: app)
        let diagnosis = try await doctor.examine()
        let expected = Self.ofTestServer.map { "setting \($0)" }
        #expect(Set(diagnosis.findings.map(\.object)).isSuperset(of: expected))
        return diagnosis.findings.filter { !expected.contains($0.object) }
    }
}

extension TestDatabase {
    /// Runs a script as superuser, statement by statement; `current` is replaced by the database's name.
    fileprivate func change(_ script: String) async throws {
        let session = try await Session.open(superuserConnectionString)
        for sql in script.replacing("DATABASE current", with: "DATABASE \(name)").split(separator: ";")
        where sql.contains(where: { !$0.isWhitespace }) {
            try await session.execute(Command(Statement(unchecked: String(sql))))
        }
        await session.close()
    }

    /// Returns the process ID of the session that sleeps.
    fileprivate func sleepingProcessID() async -> Int64 {
        var found: Int64 = 0
        try? await eventually("it sleeps") {
            let session = try await Session.open(superuserConnectionString)
            let rows = try await session.execute(
                Command(
                    """
                    SELECT pid::bigint FROM pg_stat_activity
                    WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep'
                    """))
            if rows.count > 0 { found = rows.int(0, 0) }
            await session.close()
            return rows.count > 0
        }
        return found
    }
}

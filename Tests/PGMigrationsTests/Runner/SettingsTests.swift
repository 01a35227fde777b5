import DemoApps
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import PGMigrations

/// Settings of a database or a login: they do not change the meaning of files and statements.
@Suite struct SettingsTests {
    /// A different value for each pinned setting, if there is one.
    private static let others = [
        "standard_conforming_strings": "off", "backslash_quote": "off", "array_nulls": "off",
        "transform_null_equals": "on", "xmloption": "document", "xmlbinary": "hex", "search_path": "nowhere",
        "default_text_search_config": "pg_catalog.english", "plpgsql.extra_errors": "all",
        "plpgsql.check_asserts": "off", "TimeZone": "Asia/Kolkata", "timezone_abbreviations": "India",
        "DateStyle": "German, DMY", "IntervalStyle": "iso_8601", "bytea_output": "escape", "extra_float_digits": "-15",
        "quote_all_identifiers": "on", "lc_monetary": "C.UTF-8", "lc_numeric": "C.UTF-8", "lc_time": "C.UTF-8",
        "check_function_bodies": "off", "createrole_self_grant": "set, inherit",
        "default_transaction_isolation": "serializable", "default_transaction_deferrable": "on",
        "gin_fuzzy_search_limit": "1", "exit_on_error": "on", "row_security": "off",
        "restrict_nonsystem_relation_kind": "foreign-table", "idle_session_timeout": "3600000",
        "transaction_timeout": "3600000",
    ]

    /// An object that can have a setting which every session of the database then starts with.
    enum Target: String, CaseIterable, Sendable {
        case database, role

        func statement(_ database: TestDatabase, _ name: String, _ value: String) -> String {
            let target = self == .database ? "" : "ROLE syncserver_owner IN "
            return "ALTER \(target)DATABASE \(database.name) SET \(name) = \(quoted(value))"
        }

        private func quoted(_ value: String) -> String {
            value.split(separator: ", ").map { "'\($0)'" }.joined(separator: ", ")
        }
    }

    @Test func everySettingThatHasAnotherValueIsTried() {
        let pinned = Set((PinnedSettings.meanings + PinnedSettings.limits).map(\.name))
        #expect(pinned.subtracting(Self.others.keys) == ["default_table_access_method"])
    }

    /// Each list has a database of its own, because only new sessions read such settings.
    @Test(arguments: Target.allCases)
    func everySessionBeginsWithTheSame(target: Target) async throws {
        try await withTestDatabase { database in
            let superuser = try await Session.open(database.superuserConnectionString)
            for (name, value) in PinnedSettings.meanings + PinnedSettings.limits {
                guard let other = Self.others[name], try await superuser.has(name) else { continue }
                try await superuser.run(target.statement(database, name, other))
                for settings in [SessionSettings.serving, .migrating] {
                    let session = try await Session.open(database.connectionString, settings: settings)
                    let found = try await session.execute(Command("SELECT current_setting($1)", [.text(name)]))
                    #expect(found.string(0, 0) == value, "\(name)")
                    await session.close()
                }
            }
            await superuser.close()
        }
    }

    @Test("M10: a check keeps its backslashes, whatever the database or the login sets", arguments: Target.allCases)
    func aCheckKeepsItsBackslashes(target: Target) async throws {
        try await withTestDatabase { database in
            let superuser = try await Session.open(database.superuserConnectionString)
            try await superuser.run(target.statement(database, "standard_conforming_strings", "off"))
            let sql = #"CREATE SCHEMA app; CREATE TABLE app.t (x text CHECK (x ~ '^\d+\.\d$'))"#
            let file = try MigrationFile(line: "app", fileName: "0001-do-it.sql", bytes: Array(sql.utf8))
            try await Migrator(database.connectionString, lines: [MigrationLine(name: "app", files: [file])]).up()
            let check = try await superuser.execute(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'app.t'::regclass")
            #expect(check.string(0, 0).contains(#"^\d+\.\d$"#), "\(check.string(0, 0))")
            await superuser.close()
        }
    }

    @Test("M10: files have the same effect in a database with all settings changed", arguments: Target.allCases)
    func filesMakeTheSame(target: Target) async throws {
        let lines = try Repository.migrations()
        let wanted = try await withTestDatabase(migrated: lines) { database in
            try await catalogs(database, lines)
        }
        let found = try await withTestDatabase { database in
            try await setAll(target, database)
            try await Migrator(database.connectionString, lines: lines).up(contracts: .run)
            return try await catalogs(database, lines)
        }
        #expect(found == wanted)
    }

    @Test(arguments: Target.allCases)
    func devicesReceiveTheSame(target: Target) async throws {
        let seed = UInt64.random(in: .min ... .max)
        let now = Timestamp.now
        let wanted = try await received(seed, now) { _ in }
        let found = try await received(seed, now) { database in try await setAll(target, database) }
        #expect(found == wanted && wanted.count > 20, "seed \(seed)")
    }

    @Test(arguments: [("session_replication_role", "replica"), ("plpgsql.variable_conflict", "use_column")])
    func whatTheLoginCannotSetBackIsRefused(name: String, value: String) async throws {
        let lines = try Repository.migrations()
        try await withTestDatabase(migrated: lines) { database in
            let superuser = try await Session.open(database.superuserConnectionString)
            // PostgreSQL knows the setting once a function was run.
            try await superuser.run("DO $$ BEGIN END $$")
            try await superuser.run(Target.database.statement(database, name, value))
            let session = try await Session.open(database.superuserConnectionString)
            #expect(
                try await session.execute(Command("SELECT current_setting($1)", [.text(name)])).string(0, 0) != value)
            await session.close()
            for error in await refusals(database.connectionString, lines) {
                #expect("\(error)".contains("setting \(name): It is ‘\(value)’"), "\(error)")
            }
            let found = try await Doctor.ofRepository(database.connectionString).examine().findings
            #expect(found.contains { $0.object == "setting \(name)" && $0.severity == .error }, "\(found)")
            await superuser.close()
        }
    }

    /// The setting is not kept, because all databases of the server would have it.
    @Test func whatIsSetForEveryLoginIsNamed() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let doctor = try Doctor.ofRepository(database.connectionString)
            let session = try await Session.open(database.superuserConnectionString)
            try await session.run("BEGIN")
            try await session.run("ALTER ROLE ALL SET DateStyle = 'German, DMY'")
            let found = try await doctor.settingsThatAreSetBack(session)
            #expect(found.map(\.object) == ["setting DateStyle"], "\(found)")
            #expect(found.first?.remedy == "ALTER ROLE ALL RESET DateStyle;")
            // A setting of no database and no role has no name of either.
            _ = try await DatabaseFitness.faults(session)
            try await session.run("ROLLBACK")
            await session.close()
        }
    }

    @Test("M31: a database that cannot hold every letter is refused", arguments: ["LATIN1", "EUC_JP", "SQL_ASCII"])
    func aDatabaseThatCannotHoldEveryLetterIsRefused(encoding: String) async throws {
        let lines = try Repository.migrations()
        try await withTestDatabase { database in
            let superuser = try await Session.open(database.superuserConnectionString)
            let name = "\(database.name)_\(encoding.lowercased())"
            try await superuser.run(
                "CREATE DATABASE \(name) OWNER syncserver_owner ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0")
            let string = database.connectionString.with(database: name)
            for error in await refusals(string, lines) {
                #expect("\(error)".contains("Its encoding is \(encoding)"), "\(error)")
                #expect("\(error)".contains("ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;"), "\(error)")
            }
            let found = try await Doctor.ofRepository(string).examine().findings.filter { $0.check == .encoding }
            #expect(found.map(\.severity) == [.error], "\(found)")
            let session = try await Session.open(string)
            #expect(try await session.execute("SELECT to_regnamespace('sync') IS NULL").bool(0, 0))
            await session.close()
            // With the error's remedy the setting is accepted.
            let remedy = try #require(found.first?.remedy.firstMatch(of: /CREATE DATABASE (\S+) .*;/))
            try await superuser.run(String(remedy.0.dropLast()))
            try await Migrator(database.connectionString.with(database: String(remedy.1)), lines: lines).up()
            for made in [name, String(remedy.1)] { try await superuser.run("DROP DATABASE \(made) WITH (FORCE)") }
            await superuser.close()
        }
    }

    // MARK: Support

    private func setAll(_ target: Target, _ database: TestDatabase) async throws {
        let superuser = try await Session.open(database.superuserConnectionString)
        for (name, value) in Self.others where try await superuser.has(name) {
            try await superuser.run(target.statement(database, name, value))
        }
        await superuser.close()
    }

    private func catalogs(_ database: TestDatabase, _ lines: [MigrationLine]) async throws -> [Catalog] {
        let session = try await database.session()
        var catalogs: [Catalog] = []
        for line in lines { catalogs.append(try await Catalog.read(line.name, session)) }
        await session.close()
        return catalogs
    }

    /// Returns the errors with which `up`, `plan`, `resolve`, `baseline` and the registration of a server end.
    private func refusals(_ string: ConnectionString, _ lines: [MigrationLine]) async -> [MigrationError] {
        var errors: [MigrationError?] = []
        errors.append(
            await #expect(throws: MigrationError.self) { () async throws in
                try await Migrator(string, lines: lines).up()
            })
        errors.append(
            await #expect(throws: MigrationError.self) { () async throws in
                try await Migrator(string, lines: lines).plan()
            })
        let first = MigrationID(line: MigrationLine.serverLineName, number: 1)
        errors.append(
            await #expect(throws: MigrationError.self) { () async throws in
                try await Migrator(string, lines: lines).resolve(first, as: .pending, because: "", who: "")
            })
        errors.append(
            await #expect(throws: MigrationError.self) { () async throws in
                try await Migrator(string, lines: lines).baseline(first, schema: first.line)
            })
        errors.append(
            await #expect(throws: MigrationError.self) { () async throws in
                try await ServerRegistration.announce(string, lines)
            })
        return errors.compactMap(\.self)
    }

    /// Returns the records that another device receives after one device has pushed.
    private func received(
        _ seed: UInt64, _ now: Timestamp, _ change: (TestDatabase) async throws -> Void
    ) async throws -> [String] {
        try await withTestServer(now: { now }) { server in
            try await change(server.database)
            // From here on the server's sessions are new.
            let superuser = try await Session.open(server.database.superuserConnectionString)
            try await superuser.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            await superuser.close()
            var random = SplitMix64(seed: seed)
            let filling = SpaceFilling(server.plan, recordsPerEntity: 4, using: &random)
            let changes = filling.creations(in: server.plan.schemas.count - 1, from: 0, using: &random)
            let writer = server.device()
            try await eventually("its sessions are new") { (try? await writer.push([])) != nil }
            try await writer.push(changes)
            let reply = try await server.send("GET", server.path(), changing: [:])
            #expect(reply.status == 200, "\(reply)")
            return reply.json["changes"].elements.map { "\($0)" }.sorted()
        }
    }
}

extension Session {
    fileprivate func run(_ sql: String) throws { try execute(Command(Statement(unchecked: sql))) }

    /// True if this PostgreSQL has the setting.
    fileprivate func has(_ setting: String) throws -> Bool {
        if setting.contains(".") { return true }
        return try execute(Command("SELECT current_setting($1, true) IS NOT NULL", [.text(setting)])).bool(0, 0)
    }
}

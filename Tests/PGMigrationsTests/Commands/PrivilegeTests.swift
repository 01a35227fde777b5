import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// Privileges in the server's schemas: only the owner and the serving role have any, whatever a database grants by
/// default.
@Suite struct PrivilegeTests {
    /// Lends a role with which another program of the same server logs in.
    private func withOtherRole(
        migrated lines: [MigrationLine] = [], _ body: (TestDatabase, Session, String) async throws -> Void
    ) async throws {
        try await withTestDatabase(migrated: lines) { database in
            let superuser = try await Session.open(database.superuserConnectionString)
            let name = "stranger_\(database.name)"
            try await superuser.run("CREATE ROLE \(name) LOGIN")
            do {
                try await body(database, superuser, name)
            } catch {
                try? await superuser.run("DROP OWNED BY \(name); DROP ROLE \(name)")
                throw error
            }
            try await superuser.run("DROP OWNED BY \(name); DROP ROLE \(name)")
            await superuser.close()
        }
    }

    @Test("M30: nobody else has privileges on objects that runs make, whatever the database grants")
    func whatRunsMakeIsNobodyElses() async throws {
        try await withOtherRole { database, superuser, name in
            for grantee in [name, "PUBLIC"] {
                for kind in ["TABLES", "SEQUENCES", "SCHEMAS"] {
                    try await superuser.run(
                        "ALTER DEFAULT PRIVILEGES FOR ROLE syncserver_owner GRANT ALL ON \(kind) TO \(grantee)")
                }
            }
            try await superuser.run(
                "ALTER DEFAULT PRIVILEGES FOR ROLE syncserver_owner GRANT ALL ON ROUTINES TO \(name)")
            let lines = try Repository.migrations()
            try await Migrator(database.connectionString, lines: lines).up(contracts: .run)
            let other = try await Session.open(database.connectionString.with(user: name))
            for table in ["sync.token", "sync.space", "fitiq.sd_meal", "sync.migration", "sync.migration_step"] {
                await #expect(throws: PGError.self, "\(table)") {
                    try await other.execute(Command(Statement(unchecked: "SELECT FROM \(table)")))
                }
            }
            await other.close()
            let found = try await findings(database)
            #expect(found.allSatisfy { $0.object == "default privileges of syncserver_owner" }, "\(found)")
            #expect(found.count == 7, "\(found)")
            for finding in found { try await superuser.run(finding.remedy) }
            #expect(try await findings(database) == [])
        }
    }

    @Test("M30: nobody else has privileges on objects that a step outside a transaction makes")
    func norIsWhatAStepOutsideOfATransactionMakes() async throws {
        try await withOtherRole { database, superuser, name in
            for kind in ["TABLES", "SEQUENCES", "ROUTINES"] {
                try await superuser.run(
                    "ALTER DEFAULT PRIVILEGES FOR ROLE syncserver_owner GRANT ALL ON \(kind) TO \(name)")
            }
            try await MigrationFolder.with { folder in
                try folder.write(
                    """
                    -- migrate: transaction=none
                    CREATE TABLE IF NOT EXISTS fitiq.shade (name text PRIMARY KEY);
                    CREATE TABLE IF NOT EXISTS fitiq.tint AS SELECT 1 AS x;
                    CREATE SEQUENCE IF NOT EXISTS fitiq.step;
                    CREATE OR REPLACE VIEW fitiq.look AS SELECT 1 AS x;
                    CREATE OR REPLACE FUNCTION fitiq.f() RETURNS bigint LANGUAGE sql
                        SET search_path = pg_catalog, pg_temp AS $$ SELECT 1::bigint $$;
                    DO $$ BEGIN CREATE TABLE fitiq.hue (x bigint); END $$;
                    """, to: "fitiq/0013-shade-meals.sql")
                try await Migrator(database.connectionString, lines: folder.lines()).up(contracts: .run)
            }
            let found = try await findings(database)
            #expect(found.allSatisfy { $0.object == "default privileges of syncserver_owner" }, "\(found)")
        }
    }

    @Test(
        "M30: the doctor names whoever has privileges",
        arguments: [
            "GRANT SELECT ON fitiq.sd_meal TO grantee", "GRANT SELECT (notes) ON fitiq.sd_meal TO grantee",
            "GRANT USAGE ON SCHEMA sync TO grantee", "GRANT ALL ON ALL TABLES IN SCHEMA sync TO grantee",
            "GRANT EXECUTE ON FUNCTION sync.erasures_of(text[], text) TO grantee",
            "GRANT ALL ON ALL SEQUENCES IN SCHEMA sync TO grantee",
        ], [true, false])
    func theDoctorNamesWhoeverHasPrivileges(grant: String, isPublic: Bool) async throws {
        try await withOtherRole(migrated: Repository.migrations()) { database, superuser, name in
            #expect(try await privileges(database) == [])
            try await superuser.run(grant.replacing("grantee", with: isPublic ? "PUBLIC" : name))
            let found = try await privileges(database)
            #expect(found.map(\.object) == [isPublic ? "everybody" : "role \(name)"], "\(found)")
            #expect(found.allSatisfy { $0.severity == .error && $0.remedy.contains("REVOKE ALL") }, "\(found)")
            for finding in found { try await superuser.run(finding.remedy) }
            #expect(try await privileges(database) == [])
        }
    }

    /// A role with privileges still sees no row: row-level security admits only the serving role.
    @Test func theWallLetsNobodyElseThrough() async throws {
        try await withOtherRole(migrated: Repository.migrations()) { database, superuser, name in
            try await superuser.run(
                """
                INSERT INTO sync.space (app, space_id) VALUES ('fitiq', '00000000-0000-4000-8000-000000000001');
                GRANT USAGE ON SCHEMA sync, fitiq TO \(name);
                GRANT ALL ON ALL TABLES IN SCHEMA sync, fitiq TO \(name)
                """)
            let other = try await Session.open(database.connectionString.with(user: name))
            let rows = try await other.execute(
                """
                SELECT count(space.*)
                FROM set_config('sync.space', '00000000-0000-4000-8000-000000000001', false) AS set
                    LEFT JOIN sync.space AS space ON true
                """)
            #expect(rows.int(0, 0) == 0)
            await other.close()
            let open = try await superuser.execute(
                "SELECT count(*) FROM pg_policy WHERE polname = 'space' AND polroles = '{0}'")
            #expect(open.int(0, 0) == 0)
        }
    }

    /// Returns the findings of the one check, which needs no database for comparison.
    private func privileges(_ database: TestDatabase) async throws -> [Diagnosis.Finding] {
        let session = try await Session.open(database.connectionString)
        let found = try await Doctor.ofRepository(database.connectionString).privileges(session)
        await session.close()
        return found
    }

    private func findings(_ database: TestDatabase) async throws -> [Diagnosis.Finding] {
        try await Doctor.ofRepository(database.connectionString).examine().findings
            .filter { $0.check == .privileges }
    }
}

extension Session {
    /// Runs a script, statement by statement.
    fileprivate func run(_ script: String) throws {
        for sql in script.split(separator: ";") where sql.contains(where: { !$0.isWhitespace }) {
            try execute(Command(Statement(unchecked: String(sql))))
        }
    }
}

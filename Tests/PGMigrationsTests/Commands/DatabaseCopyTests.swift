import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// The copy in which migrations are rehearsed: it has every row, although row-level security applies to the copying
/// role, too.
@Suite struct DatabaseCopyTests {
    private static let schemas = ["sync", "fitiq", "keeptrack", "allesteurer", "easitopen"]

    @Test("M12: every table of the copy has as many rows as the original")
    func everyTableHasAsManyRowsAsTheOriginal() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await database.fillMeals(50, spaces: 3)
            try await database.fillWalls()
            let (wanted, found) = try await copy(database)
            #expect(wanted == found)
            for count in ["sync.space 3", "sync.clamp 5", "sync.quarantine 3", "fitiq.sd_meal 150"] {
                #expect(wanted.contains(count))
            }
        }
    }

    @Test(arguments: [
        "DROP POLICY owner ON fitiq.sd_meal",
        "ALTER POLICY owner ON fitiq.sd_meal USING (seq > 0)",
        "ALTER POLICY owner ON fitiq.sd_meal TO pg_monitor",
        "CREATE POLICY few ON fitiq.sd_meal AS RESTRICTIVE USING (seq > 10)",
    ])
    func rowsThatTheLoginCannotSeeAreNotLeftOutInSilence(change: String) async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await database.fillMeals(2, spaces: 1)
            let session = try await Session.open(database.superuserConnectionString)
            try await session.execute(Command(Statement(unchecked: change)))
            await session.close()
            do {
                _ = try await copy(database)
                Issue.record("it was copied")
            } catch {
                #expect("\(error)".contains("fitiq.sd_meal") && "\(error)".contains("BYPASSRLS"), "\(error)")
            }
        }
    }

    /// Returns the number of rows of each table in the original and in the copy, counted by a superuser, who sees all
    /// rows.
    private func copy(_ database: TestDatabase) async throws(MigrationError) -> (wanted: [String], found: [String]) {
        let session = try await asMigrationError { try await database.session(settings: .migrating) }
        let found = try await ScratchDatabase.with(for: .rehearsal, beside: database.connectionString, session) {
            scratch throws(MigrationError) in
            try await DatabaseCopy(of: database.connectionString, in: scratch, schemas: Self.schemas).make(session)
            return try await asMigrationError {
                try await counts(database.superuserConnectionString, scratch.database ?? "")
            }
        }
        await session.close()
        return (
            try await asMigrationError { try await counts(database.superuserConnectionString, database.name) }, found
        )
    }

    private func counts(_ server: ConnectionString, _ name: String) async throws -> [String] {
        let session = try await Session.open(server.with(database: name))
        let tables = try await session.execute(
            Command(
                "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname = ANY ($1) ORDER BY 1",
                [.texts(Self.schemas)]))
        var counts: [String] = []
        for row in 0..<tables.count {
            let table = tables.string(row, 0)
            let count = try await session.execute(Command(Statement(unchecked: "SELECT count(*) FROM \(table)")))
            counts.append("\(table) \(count.int(0, 0))")
        }
        await session.close()
        return counts
    }

    private func asMigrationError<Value>(_ body: () async throws -> Value) async throws(MigrationError) -> Value {
        do {
            return try await body()
        } catch let error as PGError {
            throw .database(error)
        } catch {
            throw .notCopied("\(error)")
        }
    }
}

extension TestDatabase {
    /// Inserts a row into every other table of the server's own that has a space.
    fileprivate func fillWalls() async throws {
        let session = try await Session.open(superuserConnectionString)
        let space = "'00000000-0000-4000-8000-000000000001'"
        for sql in [
            "INSERT INTO sync.clamp SELECT \(space), 'fitiq', gen_random_uuid(), n, n FROM generate_series(1, 5) AS n",
            "INSERT INTO sync.mark SELECT \(space), 'fitiq', now(), n FROM generate_series(1, 1) AS n",
            """
            INSERT INTO sync.quarantine (space_id, app, table_name, entity, record, operation, stamp, sent, mode,
                version, fingerprint, change, code, detail)
            SELECT \(space), 'fitiq', 'sd_meal', 'SDMeal', gen_random_uuid(), 'create', 1, 1, '', '', '', '', '', ''
            FROM generate_series(1, 3)
            """,
        ] {
            try await session.execute(Command(Statement(unchecked: sql)))
        }
        await session.close()
    }
}

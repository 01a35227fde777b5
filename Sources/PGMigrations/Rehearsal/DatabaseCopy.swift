import PGStore
package import Postgres

/// Copies the tables of some schemas and their rows into an empty database, with `pg_dump` and `pg_restore`, while
/// other sessions are at work.
///
/// `CREATE DATABASE … TEMPLATE` would be faster, but refuses as long as any session is connected, and servers always
/// are. A dump only reads, in one snapshot, and makes only those sessions wait that alter a table.
package struct DatabaseCopy: Sendable {
    private let source: ConnectionString
    private let copy: ConnectionString
    private let role: String?
    private let schemas: [String]

    /// Describes a copy of some schemas of the database `source`.
    ///
    /// - Parameters:
    ///   - source: the database to copy from.
    ///   - copy: an empty database on the same server.
    ///   - role: the role to assume; `nil` to act as the login itself.
    ///   - schemas: the schemas to copy. Those that do not exist are left out.
    package init(of source: ConnectionString, in copy: ConnectionString, role: String? = nil, schemas: [String]) {
        (self.source, self.copy, self.role, self.schemas) = (source, copy, role, schemas)
    }

    /// Returns the size of the schemas on disk, in bytes, with their indices.
    package static func size(of schemas: [String], _ session: isolated Session) throws(PGError) -> Int64 {
        let rows = try session.execute(
            Command(
                """
                SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
                FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'm')
                """, [.texts(schemas)]))
        return rows.int(0, 0)
    }

    /// Copies the tables, then compares the number of rows of every table in the copy with the number in the original.
    ///
    /// - Parameters:
    ///   - session: a session of the original database, not in a transaction.
    ///   - progress: called now and then with the size of the copy so far, in bytes.
    /// - Throws: `notCopied`, also if a row would be missing; `database`, `cancelled`.
    package func make(
        _ session: Session, progress: @Sendable (Int64) -> Void = { _ in }
    ) async throws(MigrationError) {
        let tables = try await asMigrationError { () throws(PGError) in try await Self.tables(schemas, session) }
        if tables.isEmpty { return }
        let hidden = tables.filter(\.isHidden).map(\.name)
        guard hidden.isEmpty else {
            throw .notCopied(
                "The copy would lack rows that row-level security hides from this login, of "
                    + "\(hidden.joined(separator: ", ")). Since sync/0007 the owner of the tables sees them all: "
                    + "‘syncserver migrate up --to sync/7’; or use a login with BYPASSRLS.")
        }
        let reader = try await open(source)
        do throws(MigrationError) {
            let counts = try await transfer(tables, session, reader, progress)
            await reader.close()
            try await compare(counts, tables)
        } catch {
            await reader.close()
            throw error
        }
    }

    /// Copies the tables as they are in one snapshot of the source database.
    ///
    /// - Returns: the number of rows of each table in that snapshot.
    private func transfer(
        _ tables: [Table], _ session: Session, _ reader: Session, _ progress: @Sendable (Int64) -> Void
    ) async throws(MigrationError) -> [Int64] {
        let (snapshot, major) = try await asMigrationError { () throws(PGError) in
            try await reader.runScript("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let rows = try await reader.execute(
                Command("SELECT pg_export_snapshot(), current_setting('server_version_num')::bigint / 10000"))
            return (rows.string(0, 0), Int(rows.int(0, 1)))
        }
        let pipe = DumpPipe(from: source, into: copy, major: major, role: role)
        var words = Set(tables.map(\.schema)).sorted().map { "--schema=\"\($0)\"" } + ["--snapshot=\(snapshot)"]
        // Without it, pg_dump refuses to read a table whose rows might be hidden. None is hidden: that was checked
        // above.
        if tables.contains(where: \.isWalled) { words.append("--enable-row-security") }
        // Runs at the same time as the dump, which takes longer.
        async let counts = Self.counts(of: tables, reader)
        try await pipe.run(words) {
            let size = try? await session.execute(
                Command("SELECT pg_database_size($1)", [.text(copy.database ?? "")])
            ).int(0, 0)
            if let size { progress(size) }
        }
        return try await counts.get()
    }

    private func compare(_ wanted: [Int64], _ tables: [Table]) async throws(MigrationError) {
        let session = try await open(copy)
        let found = await Self.counts(of: tables, session)
        // Lets the planner of the copy know the size of the tables.
        let analyzing = Command("ANALYZE")
        do throws(PGError) {
            try await session.execute(analyzing)
            await session.close()
        } catch {
            await session.close()
            throw .database(error)
        }
        for (table, counts) in zip(tables, zip(wanted, try found.get())) where counts.0 != counts.1 {
            throw .notCopied("The copy has \(counts.1) rows of \(table.name), and the database \(counts.0).")
        }
    }

    // MARK: Tables

    private struct Table: Sendable {
        /// The table's name in SQL notation, with its schema.
        let name: String
        let schema: String
        /// True if row-level security applies to the current role.
        let isWalled: Bool
        /// True if row-level security may hide rows from the current role.
        let isHidden: Bool
    }

    /// Reads the tables of the schemas. A table does not count as hiding rows if a policy, such as the one that
    /// `sync.admit_owner` creates, shows all rows to the current role.
    private static func tables(_ schemas: [String], _ session: isolated Session) throws(PGError) -> [Table] {
        let rows = try session.execute(
            Command(
                """
                WITH policy AS (
                    SELECT polrelid, polpermissive, pg_get_expr(polqual, polrelid) = 'true' AS shows_all
                    FROM pg_policy
                    WHERE polcmd IN ('*', 'r')
                        AND EXISTS (
                            SELECT FROM unnest(polroles) AS role
                            WHERE CASE role WHEN 0 THEN true ELSE pg_has_role(role, 'USAGE') END)
                )
                SELECT format('%I.%I', n.nspname, c.relname), n.nspname, row_security_active(c.oid),
                    row_security_active(c.oid)
                    AND (
                        NOT EXISTS (SELECT FROM policy WHERE polrelid = c.oid AND polpermissive AND shows_all)
                        OR EXISTS (SELECT FROM policy WHERE polrelid = c.oid AND NOT polpermissive AND NOT shows_all))
                FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = ANY ($1) AND c.relkind = 'r'
                ORDER BY 1
                """, [.texts(schemas)]))
        return (0..<rows.count).map { row in
            Table(
                name: rows.string(row, 0), schema: rows.string(row, 1), isWalled: rows.bool(row, 2),
                isHidden: rows.bool(row, 3))
        }
    }

    private static func counts(of tables: [Table], _ session: Session) async -> Result<[Int64], MigrationError> {
        var counts: [Int64] = []
        for table in tables {
            if Task.isCancelled { return .failure(.cancelled) }
            do throws(PGError) {
                let count = Command(Statement(unchecked: "SELECT count(*) FROM \(table.name)"))
                counts.append(try await session.execute(count).int(0, 0))
            } catch {
                return .failure(.database(error))
            }
        }
        return .success(counts)
    }

    // MARK: Sessions

    private func open(_ string: ConnectionString) async throws(MigrationError) -> Session {
        try await asMigrationError { () throws(PGError) in
            try await Session.open(string, role: role, settings: .migrating)
        }
    }

    private func asMigrationError<Value>(
        _ body: () async throws(PGError) -> Value
    ) async throws(MigrationError) -> Value {
        do throws(PGError) { return try await body() } catch { throw .database(error) }
    }
}

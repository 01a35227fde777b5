import PGStore
package import Postgres

/// A temporary database on the same server as another and with the same locale. It is dropped after use.
///
/// Its maker holds an advisory lock named for the database, which the server releases when the process dies. So a
/// database that a killed process left behind can be told from one that is in use.
package enum ScratchDatabase {
    /// The purpose of a temporary database. It is a part of the database's name.
    package enum Purpose: String, CaseIterable {
        case comparison = "scratch"
        case rehearsal
    }

    /// Creates an empty database for `body`. The database is dropped when `body` ends, and at once when the task is
    /// cancelled, which ends everything that `body` does there.
    ///
    /// - Parameters:
    ///   - session: a session of the original database, not in a transaction.
    ///   - body: receives the connection string of the scratch database.
    /// - Throws: `noScratchDatabase` if the login may not make one; `database`; what `body` throws.
    package static func with<Value: Sendable>(
        for purpose: Purpose, beside string: ConnectionString, _ session: Session,
        _ body: @Sendable @escaping (ConnectionString) async throws(MigrationError) -> Value
    ) async throws(MigrationError) -> Value {
        let name = try await make(purpose, session)
        let (result, dropping) = await withTaskGroup(of: Ended<Value>.self) { group in
            group.addTask {
                do throws(MigrationError) {
                    return .body(.success(try await body(string.with(database: name))))
                } catch {
                    return .body(.failure(error))
                }
            }
            group.addTask {
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
                return .dropped(await drop(name, session))
            }
            var result: Result<Value, MigrationError> = .failure(.cancelled)
            var dropping: PGError?
            for await ended in group {
                switch ended {
                case .body(let outcome):
                    result = outcome
                    group.cancelAll()
                case .dropped(let error): dropping = error
                }
            }
            return (result, dropping)
        }
        if case .success = result, let dropping { throw .database(dropping) }
        return try result.get()
    }

    private enum Ended<Value: Sendable>: Sendable {
        case body(Result<Value, MigrationError>)
        case dropped(PGError?)
    }

    /// Returns the names of the temporary databases that no process uses any more. It returns only those that were made
    /// for the session's database, or for a database that does not exist any more.
    package static func leftovers(_ session: isolated Session) throws(PGError) -> [String] {
        let rows = try session.execute(
            Command(
                """
                SELECT datname FROM pg_database AS copy, regexp_match(datname, $1) AS part
                WHERE part IS NOT NULL
                    AND NOT EXISTS (
                        SELECT FROM pg_database AS source
                        WHERE source.oid = part[1]::oid AND source.datname <> current_database())
                    AND NOT EXISTS (
                        SELECT FROM pg_locks
                        WHERE locktype = 'advisory' AND granted AND objsubid = 1
                            AND (classid::bigint << 32) | objid::bigint = hashtextextended(copy.datname, 0))
                ORDER BY datname
                """, [.text("^syncserver_(?:\(Purpose.allCases.map(\.rawValue).joined(separator: "|")))_(\\d+)_")]))
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// Drops the scratch databases that are no longer in use.
    ///
    /// - Returns: the names of those that could be dropped. A database of another login cannot.
    static func dropLeftovers(_ session: isolated Session) throws(PGError) -> [String] {
        try leftovers(session).filter { drop($0, session) == nil }
    }

    private static func make(_ purpose: Purpose, _ session: Session) async throws(MigrationError) -> String {
        do throws(PGError) {
            return try await make(purpose, on: session)
        } catch .insufficientPrivilege {
            let login = try? await session.execute(Command("SELECT quote_ident(current_user)")).string(0, 0)
            throw .noScratchDatabase(login: login ?? "…")
        } catch {
            throw .database(error)
        }
    }

    private static func make(_ purpose: Purpose, on session: isolated Session) throws(PGError) -> String {
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        let rows = try session.execute(Command(making, [.text("syncserver_\(purpose.rawValue)"), .text(random)]))
        let name = rows.string(0, 0)
        try session.execute(Command("SELECT pg_advisory_lock(hashtextextended($1, 0))", [.text(name)]))
        do throws(PGError) {
            try session.runScript(rows.string(0, 1))
            // Only the owner may read the copied rows.
            try session.runScript("REVOKE ALL ON DATABASE \(name) FROM PUBLIC")
        } catch {
            _ = drop(name, session)
            throw error
        }
        return name
    }

    /// A query that returns the name of a new scratch database and the statement that makes it. The database gets the
    /// locale of the original, so that texts and their indices are sorted alike.
    private static let making: Statement = """
        SELECT name,
            format('CREATE DATABASE %I TEMPLATE template0 ENCODING %L LC_COLLATE %L LC_CTYPE %L', name,
                pg_encoding_to_char(encoding), datcollate, datctype)
            || CASE datlocprovider
                WHEN 'i' THEN format(' LOCALE_PROVIDER icu ICU_LOCALE %L', locale)
                WHEN 'b' THEN format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L', locale)
                ELSE '' END
        FROM pg_database AS d,
            concat_ws('_', $1::text, d.oid, $2::text) AS name,
            -- The column has had two names.
            coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') AS locale
        WHERE datname = current_database()
        """

    /// Drops the database, and releases its lock.
    ///
    /// - Returns: the error, if it could not be dropped.
    private static func drop(_ name: String, _ session: isolated Session) -> PGError? {
        do throws(PGError) {
            let dropping = "DROP DATABASE IF EXISTS \(try session.quotedIdentifier(name))"
            do throws(PGError) {
                try session.runScript("\(dropping) WITH (FORCE)")
            } catch .insufficientPrivilege {
                // An autovacuum worker is at work in the database as a superuser, which the owner may not end by force.
                // Without force PostgreSQL ends the worker itself (CountOtherDBBackends in procarray.c).
                try session.runScript(dropping)
            }
            try session.execute(Command("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [.text(name)]))
            return nil
        } catch {
            return error
        }
    }
}

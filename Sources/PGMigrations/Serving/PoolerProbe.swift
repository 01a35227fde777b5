package import Postgres

/// Detects a connection pooler that may run each transaction in another session of the PostgreSQL server. Behind such a
/// pooler, locks, settings and prepared statements of a migration run or a server would belong to sessions that other
/// clients use too.
package enum PoolerProbe {
    /// Throws `pooled` if a connection pooler may run the session's transactions in several sessions of the server.
    ///
    /// - Parameter session: a session that is not in a transaction.
    /// - Throws: `pooled`; `database`.
    package static func refuse(
        _ session: Session, _ string: ConnectionString, lifeline: Lifeline? = nil
    ) async throws(MigrationError) {
        let isPooled: Bool
        do throws(PGError) { isPooled = try await self.isPooled(session, string, lifeline) } catch {
            throw .database(error)
        }
        if isPooled { throw .pooled }
    }

    private static func isPooled(
        _ session: Session, _ string: ConnectionString, _ lifeline: Lifeline?
    ) async throws(PGError) -> Bool {
        // The process ID from the login is that of the serving process, unless a pooler answered the login.
        let loginProcess = await session.serverProcessID
        guard let serving = try await processID(session) else { return true }
        if serving == loginProcess { return false }
        // In session mode the process stays the same, whatever others do meanwhile.
        let other = try await Session.open(string, settings: .migrating, lifeline: lifeline)
        do throws(PGError) {
            try await other.runScript("BEGIN")
            let isOther = try await processID(session) != serving
            await other.close()
            return isOther
        } catch {
            await other.close()
            throw error
        }
    }

    /// Returns the ID of the server process that runs the session's statements.
    ///
    /// - Returns: `nil` if the session lacks a statement that this client prepared, or has one that this client did not
    ///   prepare. Other clients then share the session.
    private static func processID(_ session: Session) async throws(PGError) -> Int32? {
        do throws(PGError) {
            return Int32(try await session.execute(Command("SELECT pg_backend_pid()")).int(0, 0))
        } catch .statement(let report) where otherClientStates.contains(report.sqlState) {
            return nil
        }
    }

    /// The SQLSTATEs that reveal another client in the same session: a prepared statement is missing, or already
    /// exists.
    private static let otherClientStates: Set<String> = ["26000", "42P05"]
}

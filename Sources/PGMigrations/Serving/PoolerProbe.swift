package import Postgres

/// Finds out whether a pooler stands between us and the server that gives each transaction another session: a run's
/// locks and settings would be somebody else's, and so would a server's place and what its sessions have prepared.
package enum PoolerProbe {
    /// - Parameter session: not in a transaction.
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
        // What the login was told is the process that serves it, unless somebody else answered the login.
        let told = await session.serverProcessID
        guard let serving = try await processID(session) else { return true }
        if serving == told { return false }
        // In session mode it stays the same, whatever others do meanwhile.
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

    /// - Returns: `nil` where the session has not prepared what we have, or has prepared what we have not: it is not,
    ///   or was not always, ours alone.
    private static func processID(_ session: Session) async throws(PGError) -> Int32? {
        do throws(PGError) {
            return Int32(try await session.execute(Command("SELECT pg_backend_pid()")).int(0, 0))
        } catch .statement(let report) where strangers.contains(report.sqlState) {
            return nil
        }
    }

    /// `invalid_sql_statement_name`, `duplicate_prepared_statement`
    private static let strangers: Set<String> = ["26000", "42P05"]
}

/// Finds out whether a pooler stands between us and the server that gives each transaction another session: a run's
/// locks and settings would be somebody else's.
enum PoolerProbe {
    /// - Parameter session: not in a transaction.
    static func isPooled(_ session: Session, _ string: ConnectionString) async throws(PGError) -> Bool {
        // What the login was told is the process that serves it, unless somebody else answered the login.
        let told = await session.serverProcessID
        let serving = try await processID(session)
        if serving == told { return false }
        // In session mode it stays the same, whatever others do meanwhile.
        let other = try await Session.open(string, settings: .migrating)
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

    private static func processID(_ session: Session) async throws(PGError) -> Int32 {
        do throws(PGError) {
            return Int32(try await session.execute(Command("SELECT pg_backend_pid()")).int(0, 0))
        } catch .statement(let report) where report.sqlState == missingStatement {
            // What was prepared a moment ago is unknown here: another session.
            return 0
        }
    }

    /// `invalid_sql_statement_name`
    private static let missingStatement = "26000"
}

import PGMigrations
package import PGStore
package import Postgres

extension LoginRights {
    /// What the login may do that a server was given.
    ///
    /// - Throws: `NotServable` that says what to do, where nothing can be served with it; `MigrationError.pooled`;
    ///   `PGError`.
    package static func serving(_ string: ConnectionString, lifeline: Lifeline? = nil) async throws -> LoginRights {
        let session = try await Session.open(string, lifeline: lifeline)
        let rights: LoginRights
        do {
            // Through one that mixes sessions up, nothing that is read means anything.
            try await PoolerProbe.refuse(session, string, lifeline: lifeline)
            rights = try await LoginRights.read(session)
            await session.close()
        } catch {
            await session.close()
            throw error
        }
        if let refusal = rights.refusal { throw NotServable(refusal) }
        return rights
    }
}

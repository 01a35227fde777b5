import PGMigrations
package import PGStore
package import Postgres

extension LoginRights {
    /// Reads the rights of the server's database login.
    ///
    /// - Throws: `NotServable` with advice, if the login cannot be used to serve; `MigrationError.pooled`; `PGError`.
    package static func serving(_ string: ConnectionString, lifeline: Lifeline? = nil) async throws -> LoginRights {
        let session = try await Session.open(string, lifeline: lifeline)
        let rights: LoginRights
        do {
            // Through a pooler that mixes sessions up, no result can be trusted.
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

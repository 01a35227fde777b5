import PGStore
package import Postgres
package import WireFormats

/// The operations on the database's epoch: a random id that each cursor contains. After a backup was restored, a new
/// epoch begins, and the server accepts no cursor of an earlier epoch.
package struct DatabaseEpoch: Sendable {
    private let session: Session

    /// - Parameter session: a session with the login that owns the tables.
    package init(_ session: Session) {
        self.session = session
    }

    /// Reads the epoch.
    ///
    /// - Throws: `PGError`.
    package func current() async throws -> ID {
        try await session.transaction { session in try session.execute("SELECT epoch FROM sync.server").id(0, 0) }
    }

    /// Begins a new epoch, which makes all cursors invalid. Every device then pulls a snapshot of its spaces, and
    /// pushes the records that the server lacks.
    ///
    /// - Returns: the new epoch.
    /// - Throws: `PGError`.
    package func renew() async throws -> ID {
        try await session.transaction { session in
            let epoch = try session.execute("UPDATE sync.server SET epoch = gen_random_uuid() RETURNING epoch").id(0, 0)
            try session.execute(OperatorEvents.noting("epoch renew", app: nil, detail: "\(epoch)"))
            return epoch
        }
    }
}

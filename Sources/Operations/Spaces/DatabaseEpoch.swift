import PGStore
package import Postgres
package import WireFormats

/// The epoch of the database, an id that every cursor contains. A cursor of another epoch is not valid, as after the
/// restoration of a backup.
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

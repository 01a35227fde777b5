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
    /// - Parameter epoch: the new epoch. All databases of an installation should have the same.
    /// - Throws: `PGError`.
    package func renew(as epoch: ID = .random()) async throws {
        try await session.transaction { session in
            try session.execute(Command("UPDATE sync.server SET epoch = $1", [.id(epoch)]))
            try session.execute("UPDATE sync.space SET epoch = NULL WHERE epoch IS NOT NULL")
            try session.execute(OperatorEvents.noting("epoch renew", app: nil, detail: "\(epoch)"))
        }
    }
}

package import PGStore
import Postgres
package import WireFormats

extension SyncEngine {
    /// What a space holds, and may.
    ///
    /// - Parameter change: given that, what it may hold from now on; `nil` leaves it as it is.
    /// - Returns: `nil` where there is no such space.
    /// - Throws: `PGError`.
    package func holding(
        of space: ID, allowing change: @Sendable (SpaceHolding) -> (records: Int64?, bytes: Int64?)?
    ) async throws -> SpaceHolding? {
        let spaces = store.spaces
        return try await transactions.run(in: space) { session in
            let found = SpaceHolding(try session.execute(spaces.readingHolding(space)))
            guard let found, let allowed = change(found) else { return found }
            try session.execute(spaces.allowing(space, records: allowed.records, bytes: allowed.bytes))
            return SpaceHolding(try session.execute(spaces.readingHolding(space)))
        }
    }
}

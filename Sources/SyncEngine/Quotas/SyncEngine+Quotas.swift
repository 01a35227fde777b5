package import PGStore
import Postgres
package import WireFormats

extension SyncEngine {
    /// Returns the size of a space, and the limits that are set for this space alone. Before that, it sets new limits
    /// if `change` returns any.
    ///
    /// - Parameter change: receives the current size and limits, and returns the new limits. A limit of `nil` means the
    ///   general quota. If `change` itself returns `nil`, the limits stay as they are.
    /// - Returns: `nil` if the space does not exist.
    /// - Throws: `PGError`.
    package func holding(
        of space: ID, allowing change: @Sendable (SpaceHolding) -> (records: Int64?, bytes: Int64?)?
    ) async throws -> SpaceHolding? {
        let spaces = store.spaces
        return try await sharing.notices.inDatabase(of: space) { session in
            let found = SpaceHolding(try session.execute(spaces.readingHolding(space)))
            guard let found, let allowed = change(found) else { return found }
            try session.execute(spaces.allowing(space, records: allowed.records, bytes: allowed.bytes))
            return SpaceHolding(try session.execute(spaces.readingHolding(space)))
        }
    }
}

package import PGStore
package import SyncEngine
package import WireFormats

/// The operations on the size and the quota of one space.
package struct SpaceQuota: Sendable {
    private let engine: SyncEngine
    private let space: ID
    private let owner: OwnerDatabase

    /// The new value of one of the two limits of a space's quota.
    package enum Limit: Sendable, Hashable, CustomStringConvertible {
        case most(Int64)
        /// The limit that the servers apply to each space for which no operator has set one.
        case standard

        fileprivate var stored: Int64? {
            switch self {
            case .most(let most): most
            case .standard: nil
            }
        }

        package var description: String { stored.map(String.init) ?? "default" }
    }

    package init(of space: ID, _ engine: SyncEngine, owner: OwnerDatabase) {
        (self.engine, self.space, self.owner) = (engine, space, owner)
    }

    /// Returns the number of records and bytes in the space, and the limits that an operator has set for this space
    /// alone.
    ///
    /// - Throws: `SpaceError.untouched`, `PGError`.
    package func show() async throws -> SpaceHolding {
        try await holding { _ in nil }
    }

    /// Changes the quota of the space. Servers apply the new quota from the next push on.
    ///
    /// - Parameters:
    ///   - records: the largest number of living (not deleted) records; `nil` leaves this limit unchanged.
    ///   - bytes: the largest size of the values of these records, in bytes; `nil` leaves this limit unchanged.
    /// - Returns: the size and the new quota of the space, and whether the action is recorded in the audit log.
    /// - Throws: `SpaceError.untouched`, `PGError`.
    package func set(
        records: Limit?, bytes: Limit?
    ) async throws -> (holding: SpaceHolding, entry: AuditEntry) {
        let holding = try await holding { holding in
            (records.map(\.stored) ?? holding.recordsMax, bytes.map(\.stored) ?? holding.bytesMax)
        }
        let changes = [records.map { "records \($0)" }, bytes.map { "bytes \($0)" }].compactMap(\.self)
        let entry = try await owner.note(
            "quota set", app: engine.plan.app, "space \(space): \(changes.joined(separator: ", "))")
        return (holding, entry)
    }

    private func holding(
        allowing change: @Sendable (SpaceHolding) -> (records: Int64?, bytes: Int64?)?
    ) async throws -> SpaceHolding {
        guard let holding = try await engine.holding(of: space, allowing: change) else {
            throw SpaceError.untouched(space, app: engine.plan.app)
        }
        return holding
    }
}

package import PGStore
package import SyncEngine
package import WireFormats

/// The held changes that an operation works on, across all apps and spaces.
package struct HeldChanges: Sendable {
    /// The changes by app and space, then in the order in which they were held.
    package let changes: [QuarantinedChange]
    private let engines: [SyncEngine]

    /// Finds held changes.
    ///
    /// - Parameters:
    ///   - ids: the ids of the wanted changes; empty for all.
    ///   - space: the only space to search; `nil` for all.
    ///   - progress: called after each space with the number of changes so far.
    /// - Throws: `NotHeld`, `PGError`.
    package init(
        _ engines: [SyncEngine], ids: [Int64], space: ID?, progress: (Int) -> Void = { _ in }
    ) async throws {
        self.engines = engines
        let wanted = Set(ids)
        var changes: [QuarantinedChange] = []
        for engine in engines {
            let held = try await engine.held().filter { change in
                (wanted.isEmpty || wanted.contains(change.id)) && (space == nil || space == change.space)
            }
            for space in Set(held.map(\.space)).sorted() {
                changes += try await engine.held(in: space).filter { wanted.isEmpty || wanted.contains($0.id) }
                progress(changes.count)
            }
        }
        self.changes = changes
        let missing = wanted.subtracting(changes.map(\.id)).sorted()
        guard missing.isEmpty else { throw NotHeld(ids: missing) }
    }

    /// Merges the changes; one that fails again stays held.
    ///
    /// - Parameters:
    ///   - isDryRun: true to report the outcome without committing it.
    ///   - progress: called after each space with the number of changes so far.
    /// - Throws: `SyncError`, `PGError`.
    package func replay(
        isDryRun: Bool = false, progress: (Int) -> Void = { _ in }
    ) async throws -> [SyncEngine.Replayed] {
        var replayed: [SyncEngine.Replayed] = []
        for (engine, space, ids) in spaces {
            replayed += try await engine.replay(ids, in: space, isDryRun: isDryRun)
            progress(replayed.count)
        }
        return replayed
    }

    /// Deletes the changes for good.
    ///
    /// - Returns: an entry for each space.
    /// - Throws: `PGError`. Changes that were deleted by then stay deleted.
    package func drop(owner: OwnerDatabase) async throws -> [AuditEntry] {
        var entries: [AuditEntry] = []
        for (engine, space, ids) in spaces {
            try await engine.drop(ids.sorted(), in: space)
            let detail = "space \(space): \(ids.count) changes"
            entries.append(try await owner.note("quarantine drop", app: engine.plan.app, detail))
        }
        return entries
    }

    /// The held changes grouped by engine and space, each group as a set of ids.
    private var spaces: [(SyncEngine, ID, Set<Int64>)] {
        engines.flatMap { engine in
            let own = Dictionary(grouping: changes.filter { $0.app == engine.plan.app }, by: \.space)
            return own.sorted { $0.key < $1.key }.map { (engine, $0.key, Set($0.value.map(\.id))) }
        }
    }
}

/// The error of ids under which nothing is held.
package struct NotHeld: Error, Hashable {
    package let ids: [Int64]
}

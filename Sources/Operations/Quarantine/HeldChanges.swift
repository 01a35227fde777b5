package import PGStore
package import SyncEngine
package import WireFormats

/// The changes in quarantine (stored by the server, but not merged) on which an operation works: it shows, replays or
/// deletes them. They may be of several apps and spaces.
package struct HeldChanges: Sendable {
    /// The changes, ordered by app and space, then by the order in which they were put in quarantine.
    package let changes: [QuarantinedChange]
    private let engines: [SyncEngine]

    /// Finds changes in quarantine.
    ///
    /// - Parameters:
    ///   - ids: the ids of the wanted changes; empty for all.
    ///   - space: the only space to search; `nil` for all.
    ///   - progress: called after each space with the number of changes found so far.
    /// - Throws: `NotHeld` if one of the ids is not in quarantine; `PGError`.
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

    /// Tries again to merge the changes into their spaces. A change that fails again stays in quarantine.
    ///
    /// - Parameters:
    ///   - isDryRun: true to report the outcome without committing it.
    ///   - progress: called after each space with the number of changes tried so far.
    /// - Returns: the outcome of each change.
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

    /// Deletes the selected changes from quarantine without merging them. They cannot be restored.
    ///
    /// - Returns: an entry for each space, which tells if the deletion is recorded in the audit log.
    /// - Throws: `PGError`. The deletions in spaces that were processed before the error remain.
    package func drop(owner: OwnerDatabase) async throws -> [AuditEntry] {
        var entries: [AuditEntry] = []
        for (engine, space, ids) in spaces {
            try await engine.drop(ids.sorted(), in: space)
            let detail = "space \(space): \(ids.count) changes"
            entries.append(try await owner.note("quarantine drop", app: engine.plan.app, detail))
        }
        return entries
    }

    /// The changes to work on, grouped by their app's engine and their space. Each element has an engine, a space, and
    /// the ids of the changes in that space.
    private var spaces: [(SyncEngine, ID, Set<Int64>)] {
        engines.flatMap { engine in
            let own = Dictionary(grouping: changes.filter { $0.app == engine.plan.app }, by: \.space)
            return own.sorted { $0.key < $1.key }.map { (engine, $0.key, Set($0.value.map(\.id))) }
        }
    }
}

/// The error for ids that belong to no change in quarantine.
package struct NotHeld: Error, Hashable {
    package let ids: [Int64]
}

package import PGStore
package import SyncEngine
package import WireFormats

/// The operations on the members of one space.
package struct SpaceMembers: Sendable {
    private let engine: SyncEngine
    private let space: ID
    private let owner: OwnerDatabase

    package init(of space: ID, _ engine: SyncEngine, owner: OwnerDatabase) {
        (self.engine, self.space, self.owner) = (engine, space, owner)
    }

    /// Returns the members with their roles.
    ///
    /// - Throws: `SpaceError`, if the space was erased or the app has no space with this id; `PGError`.
    package func list() async throws -> [Members.Row] {
        try await engine.check(space)
        return try await engine.sharing.members(of: space)
    }

    /// Adds a member, or gives a member another role.
    ///
    /// - Throws: `SharingError`, `PGError`.
    package func set(_ subject: Subject, to role: SpaceRole) async throws -> AuditEntry {
        _ = try await engine.sharing.set(subject, to: role, in: space)
        return try await note("member set", "a member is \(role.rawValue)")
    }

    /// Removes a member from the space.
    ///
    /// - Throws: `SharingError`, `PGError`.
    package func remove(_ subject: Subject) async throws -> AuditEntry {
        _ = try await engine.sharing.remove(subject, from: space)
        return try await note("member remove", "a member is out")
    }

    private func note(_ action: String, _ change: String) async throws -> AuditEntry {
        try await owner.note(action, app: engine.plan.app, "space \(space): \(change)")
    }
}

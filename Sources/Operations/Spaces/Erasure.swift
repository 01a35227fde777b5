import Postgres
package import SyncEngine
package import WireFormats

/// The operation that erases a space, or everything that is stored about a subject. An interrupted erasure can be
/// completed by running it again; otherwise the tombstone collector completes it.
package struct Erasure: Sendable {
    private let engine: SyncEngine
    private let owner: OwnerDatabase

    /// The space or subject to erase.
    package enum Object: Sendable {
        case space(ID)
        case subject(Subject)
    }

    package init(_ engine: SyncEngine, owner: OwnerDatabase) {
        (self.engine, self.owner) = (engine, owner)
    }

    /// Erases a space or a subject, and records it in the audit log.
    ///
    /// - Parameter progress: called with the number of rows erased so far.
    /// - Returns: the number of erased rows of each table, and whether the action is recorded in the audit log.
    /// - Throws: `SpaceError.unknown`, if the app has no such space. `SharingError.sharedSpaces`, before anything is
    ///   erased, if the subject is the only owner of a space that has other members. `NotOwner` if the login may not
    ///   delete the subject's tokens; everything else is erased by then. `PGError`.
    package func erase(
        _ object: Object, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> (receipt: Erasing.Receipt, entry: AuditEntry) {
        var receipt = Erasing.Receipt()
        let name: String
        switch object {
        case .space(let space):
            // An erasure that was interrupted is completed.
            if try await engine.erasing.begun(space) == nil { try await engine.check(space) }
            try await engine.erasing.erase(space, into: &receipt, progress: progress)
            name = "space \(space)"
        case .subject(let subject):
            receipt = try await engine.erasing.erase(subject: subject, progress: progress)
            let app = engine.plan.app
            receipt.add(
                try await owner.withSession { session in
                    try await IssuedToken.forget(subject, app: app, session)
                })
            name = "a subject"
        }
        return (receipt, try await owner.note("erase", app: engine.plan.app, "\(name): \(receipt.count) rows"))
    }
}

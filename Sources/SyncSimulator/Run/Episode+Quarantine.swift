import SyncModel
import WireFormats

/// The quarantine: changes that the server could not merge yet and promised to keep (‘held’). None of them may be lost.
extension Episode {
    /// Makes the database refuse another value than before.
    func beginToRefuse() async throws {
        guard faults.contains(.refusal), !site.isHeldBack, let column = refusal?.column,
            let text = refusal?.begin()
        else { return }
        try await site.refuseNothing(in: column)
        try await site.refuse(text, in: column)
    }

    /// Lets the database accept all values again, and merges the quarantined changes. The quarantine must contain
    /// exactly the changes that the server reported as held.
    func replayQuarantine() async throws {
        guard faults.contains(.refusal), !site.isHeldBack, let column = refusal?.column else { return }
        try await site.refuseNothing(in: column)
        refusal?.end()
        let changes = try quarantined.takeOut(try site.quarantine(of: route.space, app: plan.app, key: key))
        if changes.isEmpty { return }
        let replayed = try site.replayQuarantine(of: route.space, app: plan.app)
        guard replayed.count == changes.count else {
            throw Breach("\(changes.count) changes were held, and \(replayed.count) replayed")
        }
        for (id, verdict) in replayed {
            judge.beginPush()
            guard let held = changes[id] else {
                throw Breach("\(id) was replayed, and was not held")
            }
            tally.verdicts["replayed", default: 0] += 1
            story.replay(held.change, verdict.rawValue)
            guard try verdicts.replay(held, verdict) else { continue }
            try judge.replay(held)
        }
    }

    /// Returns the key of a record from its id in `syncserver quarantine list`.
    ///
    /// - Parameters:
    ///   - text: the id.
    ///   - entity: the entity's name in the version.
    ///   - header: the version, as in the header `Schema-Version`.
    private func key(of text: String, _ entity: String, inVersion header: String) -> ID? {
        let version = ShapeName(header).flatMap { plan.index(of: $0) }
        return version.flatMap { vocabulary($0).entity(entity) }?.texts.map { $0.key(of: text) } ?? ID(text)
    }

    /// Returns true if the server may hold a change in quarantine: if the database refuses the change; if the change
    /// updates a record whose creation is held; or if its push has more changes that the database refuses than the
    /// server must find one by one.
    ///
    /// It is checked later, by the list of the quarantine, whether the creation is held.
    func isHoldable(_ change: Change, _ result: PushReply.Result, among changes: [Change]) -> Bool {
        guard let refusal, refusal.text != nil else { return false }
        switch result.code.flatMap(HoldCode.init(rawValue:)) {
        case .behindHeld: return change.operation == .update
        case .databaseRefused:
            return refusal.isMet(by: change)
                || changes.count(where: { refusal.isMet(by: $0) }) > Episode.culpritsFoundMin
        case .lensFailed, .rejected, nil: return false
        }
    }

    /// The number of refused changes in one push that the server must find one by one, according to the protocol. If
    /// there are more, it may also hold changes that the database would accept.
    private static let culpritsFoundMin = 4
}

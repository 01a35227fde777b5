import SyncModel
import WireFormats

/// The quarantine: changes that the server could not merge yet and promised to keep (‘held’). None of them may be lost.
extension Episode {
    /// Makes the database refuse a new value. The value that it refused before is accepted again.
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

    /// Returns the key (UUID) of a record in the output of `syncserver quarantine list`; `nil` if its id is invalid.
    ///
    /// - Parameters:
    ///   - text: the record's id in the output.
    ///   - entity: the entity's name in the version.
    ///   - header: the version, as in the header `Schema-Version`.
    private func key(of text: String, _ entity: String, inVersion header: String) -> ID? {
        let version = ShapeName(header).flatMap { plan.index(of: $0) }
        return version.flatMap { vocabulary($0).entity(entity) }?.texts.map { $0.key(of: text) } ?? ID(text)
    }

    /// Returns true if the server may put a change into quarantine. There are three cases:
    /// - the database refuses the change;
    /// - the database refuses many other changes of the same push. The server finds only `culpritsFoundMin` of them one
    ///   by one; if there are more, it may also quarantine changes that the database accepts;
    /// - the change updates a record whose creation is in quarantine. `HeldChanges` checks this later; here it is only
    ///   checked that the change is an update.
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

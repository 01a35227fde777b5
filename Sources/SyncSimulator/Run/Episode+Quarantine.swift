import SyncModel
import WireFormats

/// The quarantine: changes that the server could not merge yet and promised to keep (‘held’). None of them may be lost.
extension Episode {
    /// Makes the database refuse a value.
    func beginToRefuse() async throws {
        guard faults.contains(.refusal), !site.isHeldBack, let column = refusal?.column,
            let text = refusal?.begin()
        else { return }
        try await site.refuseNothing(in: column)
        try await site.refuse(text, in: column)
    }

    /// Removes the cause of the refusal, and replays the quarantine. The server must then merge exactly the held
    /// changes.
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

    /// The key of a record that `syncserver quarantine list` reports.
    private func key(of text: String, _ entity: String, inVersion header: String) -> ID? {
        let version = ShapeName(header).flatMap { plan.index(of: $0) }
        return version.flatMap { vocabulary($0).entity(entity) }?.texts.map { $0.key(of: text) } ?? ID(text)
    }

    /// True if the server may hold a change in quarantine. This is so if the database refuses the change; if it updates
    /// a record whose creation is held, as the list of the quarantine must show; or if its push has more refused
    /// changes than the server searches for.
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

    /// The number of refused changes in one push that the server always finds, according to the protocol.
    private static let culpritsFoundMin = 4
}

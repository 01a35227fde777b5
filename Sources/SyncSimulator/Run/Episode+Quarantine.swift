import SyncModel
import WireFormats

/// What the server could not merge and promised to keep: nothing of it may be lost either.
extension Episode {
    /// The database begins to refuse something.
    func beginToRefuse() async throws {
        guard faults.contains(.refusal), !site.isHeldBack, let column = refusal?.column,
            let text = refusal?.begin()
        else { return }
        try await site.refuseNothing(in: column)
        try await site.refuse(text, in: column)
    }

    /// The cause is fixed, and everything that was held is merged: all of it, and nothing else.
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
            story.replay(held.change, verdict)
            guard try verdicts.replay(held, verdict) else { continue }
            try judge.replay(held)
        }
    }

    /// The key of a record that the operator is told of.
    private func key(of text: String, _ entity: String, inVersion header: String) -> ID? {
        let version = ShapeName(header).flatMap { plan.index(of: $0) }
        return version.flatMap { vocabulary($0).entity(entity) }?.texts.map { $0.key(of: text) } ?? ID(text)
    }

    /// Whether a change may be held: it is what the database refuses; or an update of a record whose creation is held,
    /// as the quarantine must show; or one of a push with more of them than the server looks for.
    func isHoldable(_ change: Change, _ result: PushAnswer.Result, among changes: [Change]) -> Bool {
        guard let refusal, refusal.text != nil else { return false }
        switch result.code {
        case "behind-held": return change.operation == .update
        case "database-refused":
            return refusal.isMet(by: change)
                || changes.count(where: { refusal.isMet(by: $0) }) > Episode.culpritsFoundMin
        default: return false
        }
    }

    /// As many the server finds in any push, says the protocol.
    private static let culpritsFoundMin = 4
}

import PGStore
import PlantedBugs
import Postgres
import StrictJSON
import WireFormats

/// The verdicts of changes that were judged before, and those that this push must remember: a change is judged once
/// (docs/internals/cursors.md, R6).
///
/// Merging is idempotent, so most changes need no memory. Three kinds do. A refusal that depends on the other records
/// of the space, because a retry may find other records. A whole record, because a retry would take for edits what
/// others have changed since. And a whole record that is held, because the next one may take back what nobody but its
/// device has seen. All are known by device, record and stamp. Without a device or a stamp nothing is remembered.
struct Judgements {
    private let hub: Hub
    private let device: ID?
    private let mode: ChangeMode
    /// True if the changes come from quarantine; a reason for which they are refused now may not apply the next time.
    private let isReplay: Bool
    /// True if the device states that it intends to delete, however many records that is.
    private let meansToDelete: Bool
    private var known: [Key: Verdict] = [:]
    /// The columns that are edited by whole records in quarantine, or by whole records that were in quarantine before.
    private var held: [Key: Set<String>] = [:]

    private struct Key: Hashable {
        let entity: String
        let record: ID
        let stamp: Stamp

        init(entity: String, record: ID, stamp: Stamp) {
            (self.entity, self.record, self.stamp) = (entity, record, stamp)
        }

        init(_ judged: Spaces.Judged) { self.init(entity: judged.entity, record: judged.record, stamp: judged.stamp) }
    }

    init(_ push: Push, _ hub: Hub) {
        self.hub = hub
        device = push.device
        isReplay = push.quarantine.isReplay
        mode = push.mode
        meansToDelete = push.massDeletions == nil
    }

    /// Reads the remembered verdicts of these changes. Needed only where the space has any.
    mutating func recall(
        _ changes: [Push.Sent], _ spaces: Spaces, _ space: ID, _ session: isolated Session
    ) throws {
        guard let device, !changes.isEmpty else { return }
        let rows = try session.execute(
            spaces.recallingJudged(of: Set(changes.map(\.change.id)), device: device, in: space))
        for judged in (0..<rows.count).map({ Spaces.Judged(rows, $0) }) {
            let key = Key(judged)
            known[key] = verdict(of: judged)
            if mode == .whole { held[key] = judged.refusal.flatMap(Self.columns) }
        }
    }

    /// Returns the verdict of a remembered change; `nil` for a change that must be judged again.
    private func verdict(of judged: Spaces.Judged) -> Verdict? {
        guard let refusal = judged.refusal else {
            return mode == .whole && !PlantedBug.wholeJudgedAgain.isPlanted ? .unchanged : nil
        }
        guard !isReplay, let rejection = Rejection(remembered: refusal) else { return nil }
        return meansToDelete && rejection.code == .massDeletion ? nil : .rejected(rejection)
    }

    /// Returns the verdict that a change got when it was sent before; `nil` for a change that must be judged.
    func verdict(of sent: Push.Sent) -> Verdict? {
        known.isEmpty ? nil : known[key(of: sent)]
    }

    /// Returns the merge units that are edited by the device's whole records in quarantine with an earlier stamp. A
    /// later whole record edits these units, also where it has the value that is stored.
    func unitsHeld(before stamp: Stamp, of key: WorkingSet.Key) -> Set<Int> {
        if held.isEmpty { return [] }
        let entity = hub.entities[key.entity]
        let columns = held.filter { $0.key.entity == entity.table && $0.key.record == key.id && $0.key.stamp < stamp }
            .reduce(into: Set<String>()) { $0.formUnion($1.value) }
        return Set(
            entity.units.indices.filter { unit in
                entity.units[unit].rule == .latest
                    && entity.units[unit].columns.contains { columns.contains(entity.columns[$0].name) }
            })
    }

    private func key(of sent: Push.Sent) -> Key {
        Key(
            entity: hub.entities[sent.change.projection.entity].table, record: sent.change.id,
            stamp: sent.change.stamp ?? .never)
    }

    /// Returns the commands that remember the changes that this push judged; empty if there are none to remember.
    ///
    /// - Parameters:
    ///   - verdicts: by index in the request.
    ///   - refused: changes that were left out of the push, because only the whole push showed that they are
    ///     impossible.
    ///   - readings: of the changes that are held, by index in the request.
    func remembering(
        _ changes: [Push.Sent], _ verdicts: [Verdict?], refused: [(sent: Push.Sent, rejection: Rejection)],
        readings: [Int: HeldReading], _ spaces: Spaces, at time: Stamp, in space: ID
    ) -> [Command] {
        guard let device else { return [] }
        var judged: [Spaces.Judged] = []
        func remember(_ sent: Push.Sent, _ text: String?) {
            let key = key(of: sent)
            if key.stamp == .never || known[key] != nil || held[key] != nil && text != nil { return }
            judged.append(Spaces.Judged(entity: key.entity, record: key.record, stamp: key.stamp, refusal: text))
        }
        for (sent, rejection) in refused where !PlantedBug.refusalForgotten.isPlanted {
            remember(sent, rejection.rememberedText)
        }
        for sent in changes {
            switch verdicts[sent.index] {
            case .rejected(let rejection):
                if rejection.code.dependsOnTheSpace, !isReplay { remember(sent, rejection.rememberedText) }
            case .held:
                if mode == .whole, let reading = readings[sent.index] { remember(sent, heldText(of: sent, reading)) }
            case nil: break
            default: if mode == .whole, sent.change.operation != .delete { remember(sent, nil) }
            }
        }
        if judged.isEmpty { return [] }
        // A change that was held is merged now, by a replay or because it arrived again. From now on it is remembered
        // like any other.
        let merged = judged.filter { held[Key($0)] != nil }
        return (merged.isEmpty ? [] : [spaces.forgetting(judged: merged, of: device, in: space)])
            + spaces.remembering(judged: judged, of: device, at: time, in: space)
    }
}

/// The text that remembers a held whole record, stored where a refusal would be: `{"held": ["name", "price"]}`. A
/// server that does not know this form judges the change anew.
extension Judgements {
    private func heldText(of sent: Push.Sent, _ reading: HeldReading) -> String {
        let (change, entity) = (sent.change, hub.entities[sent.change.projection.entity])
        let edited = reading.divide(change).rest.edits.map { change.projection.fields[$0.field].column }
        return JSONWriter.text { writer in
            writer.beginObject()
            writer.member("held", edited.map { entity.columns[$0].name })
            writer.endObject()
        }
    }

    private static func columns(_ text: String) -> Set<String>? {
        (try? JSONDocument(parsing: Array(text.utf8)).root)?["held"]?.strings.map { Set($0) }
    }
}

extension Rejection.Code {
    /// True if the same change may be accepted once the other records of the space have changed.
    fileprivate var dependsOnTheSpace: Bool {
        switch self {
        case .unknownID, .unique, .denied, .massDeletion, .counterOverflow, .recordTooLarge, .missingAttribute: true
        default: false
        }
    }
}

extension Rejection {
    /// The JSON that is stored for a retry.
    fileprivate var rememberedText: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("code", code.rawValue)
            writer.member("detail", detail)
            writer.member("holder", holder?.description)
            writer.member("children", children.map(\.description))
            writer.endObject()
        }
    }

    /// Parses a stored rejection; `nil` for a code that this server does not know.
    fileprivate init?(remembered text: String) {
        guard let root = try? JSONDocument(parsing: Array(text.utf8)).root,
            let code = root["code"]?.string.flatMap({ Code(rawValue: $0) })
        else { return nil }
        self.init(
            code: code, detail: root["detail"]?.string ?? "", holder: root["holder"]?.string.flatMap { ID($0) },
            children: root["children"]?.elements.map { $0.compactMap { $0.string.flatMap { ID($0) } } } ?? [])
    }
}

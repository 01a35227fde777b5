import PGStore
import PlantedBugs
import Postgres
import StrictJSON
import WireFormats

/// The verdicts that the server remembers, of earlier pushes and of this one. With them, a change that is sent again
/// gets the same verdict (rule R6 in docs/internals/cursors.md).
///
/// Merging is idempotent, so most verdicts need not be remembered. Those of three kinds of changes are:
///
/// - A change that was refused because of other records of the space. At a retry, the other records may have changed.
/// - A change that contains a whole record. At a retry, values that others have changed since would count as the
///   device's edits.
/// - Such a change in quarantine. The device's next change may set back a value that nobody else has seen.
///
/// A change is recognized by its device, record and stamp. Without a device or a stamp nothing is remembered.
struct Judgements {
    private let hub: Hub
    private let device: ID?
    private let mode: ChangeMode
    /// True if the changes are replayed from quarantine. A refusal is then not final, because its reason may not apply
    /// the next time.
    private let isReplay: Bool
    /// True if the device states that its deletions are intended, however many they are.
    private let meansToDelete: Bool
    private var known: [Key: Verdict] = [:]
    /// For each whole-record change that was put into quarantine: the names of the columns that it edits. The key is
    /// the change's record and stamp.
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

    /// Reads the remembered verdicts on the device's changes of these records. It need not be called if the space has
    /// none.
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

    /// Returns the verdict that is remembered for a change; `nil` if the change must be merged as if it were new.
    private func verdict(of judged: Spaces.Judged) -> Verdict? {
        guard let refusal = judged.refusal else {
            return mode == .whole && !PlantedBug.wholeJudgedAgain.isPlanted ? .unchanged : nil
        }
        guard !isReplay, let rejection = Rejection(remembered: refusal) else { return nil }
        return meansToDelete && rejection.code == .massDeletion ? nil : .rejected(rejection)
    }

    /// Returns the verdict that a change got when it was sent before; `nil` for a change that must be merged.
    func verdict(of sent: Push.Sent) -> Verdict? {
        known.isEmpty ? nil : known[key(of: sent)]
    }

    /// Returns the merge units (attributes that win or lose together) of a record that earlier changes in quarantine
    /// have edited. It concerns devices that send whole records.
    ///
    /// A later change of the record counts as an edit of these units even if it repeats the stored value, because it
    /// may take back an edit that is still in quarantine.
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

    /// Returns the commands that store the verdicts of this push which must be remembered; empty if there are none.
    ///
    /// - Parameters:
    ///   - verdicts: by index in the request.
    ///   - refused: the changes that earlier attempts found impossible, and that were left out of this one.
    ///   - readings: the values that devices had read before they sent changes that are in quarantine, by index in the
    ///     request.
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

/// The stored form of a whole-record change in quarantine: a JSON text with the columns that it edits, such as
/// `{"held": ["name", "price"]}`. It is in the column that otherwise contains a rejection.
///
/// A server of an older release, which does not know this form, merges the change as if it were new.
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
    /// True if a change that is rejected with this code may be accepted later, after other records of the space have
    /// changed.
    fileprivate var dependsOnTheSpace: Bool {
        switch self {
        case .unknownID, .unique, .denied, .massDeletion, .counterOverflow, .recordTooLarge, .missingAttribute: true
        default: false
        }
    }
}

extension Rejection {
    /// The JSON of the rejection, which is stored for a retry of the change.
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

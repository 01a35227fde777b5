import PGStore
import Postgres
import WireFormats

/// What a push calls records by: looked up with the records, and kept with what it writes.
///
/// Under the space's lock, so what is not there when it is looked up is not there when it is written.
struct Naming {
    /// The texts of keys that were kept before.
    private var kept: [ID: String] = [:]

    /// Looks up all that the push says of names; `nil` where it says nothing.
    static func looking(for push: Push, _ store: AppStore) -> Command? {
        guard store.hub.hasTextIDs else { return nil }
        let keys = Set(push.changes.lazy.flatMap(\.change.names).map(\.key))
        return keys.isEmpty ? nil : NameTable(app: store.app).reading(keys, in: push.space)
    }

    mutating func note(_ rows: Rows) {
        for name in NameTable.Name.all(rows) { kept[name.key] = name.text }
    }

    /// The changes that call a record by a key that nobody was given, or give one a second text.
    func refusal(of changes: [Push.Sent]) -> Push.Refusal? {
        var (texts, refusal) = (kept, Push.Refusal())
        for (index, change, _) in changes {
            guard let rejection = rejection(of: change, texts) else {
                for name in change.names where name.text != nil { texts[name.key] = name.text }
                continue
            }
            refusal.rejections[index] = rejection
        }
        return refusal.isEmpty ? nil : refusal
    }

    /// - Parameter texts: with those of the changes before it.
    private func rejection(of change: Change, _ texts: [ID: String]) -> Rejection? {
        for name in change.names {
            guard let text = name.text else {
                // What this push says first may come to nothing, and no device is told a key before it is kept.
                if kept[name.key] != nil { continue }
                return Rejection(
                    code: .unknownID,
                    detail: "\(name.key) is a UUID as servers make them for ids that are texts, and this space has no "
                        + "text for it. Give a new record a random UUID, or another text.")
            }
            // As likely as a broken SHA-256.
            if let other = texts[name.key], !other.utf8.elementsEqual(text.utf8) {
                return Rejection(
                    code: .malformedID,
                    detail: "‘\(shortened(text))’ cannot be told from ‘\(shortened(other))’: choose another id.")
            }
        }
        return nil
    }

    /// Keeps the names that changes brought which leave something.
    func keeping(_ context: PushContext) -> Command? {
        guard context.store.hub.hasTextIDs else { return nil }
        var (new, known) = ([NameTable.Name](), Set(kept.keys))
        for (index, change, _) in context.push.changes where context.outcome.verdicts[index]?.leavesNothing == false {
            for name in change.names {
                guard let text = name.text, known.insert(name.key).inserted else { continue }
                let table = context.store.hub.entities[name.entity].table
                new.append(NameTable.Name(key: name.key, table: table, text: text))
            }
        }
        return new.isEmpty ? nil : NameTable(app: context.store.app).adding(new, in: context.space)
    }
}

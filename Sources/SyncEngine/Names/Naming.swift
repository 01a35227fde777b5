import PGStore
import Postgres
import WireFormats

/// The names by which a push refers to records whose ids are texts. Names are looked up with the records, and new ones
/// are stored with the push's writes.
///
/// Both happen under the space's lock, so a name that is missing when it is looked up is missing when it is written.
struct Naming {
    /// The texts that the space had before this push, by the keys that were made from them.
    private var kept: [ID: String] = [:]

    /// Returns the command that looks up the stored text ids for all record names in the push: text ids, and keys that
    /// were made from text ids. `nil` if the push has no such names.
    static func looking(for push: Push, _ store: AppStore) -> Command? {
        guard store.hub.hasTextIDs else { return nil }
        let keys = Set(push.changes.lazy.flatMap(\.change.names).map(\.key))
        return keys.isEmpty ? nil : NameTable(app: store.app).reading(keys, in: push.space)
    }

    mutating func note(_ rows: Rows) {
        for name in NameTable.Name.all(rows) { kept[name.key] = name.text }
    }

    /// Returns a refusal of the changes that name records by ids which cannot be accepted; `nil` if there are none.
    ///
    /// One kind of id is a key that has the form of keys made from texts, if the space has no text for it. The other
    /// kind is a text whose key already belongs to a different text.
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

    /// Returns the reason to reject a change because of the ids with which it names records; `nil` if there is none.
    ///
    /// - Parameter texts: the text ids that are stored in the space or occur in earlier changes of the push, by key.
    private func rejection(of change: Change, _ texts: [ID: String]) -> Rejection? {
        for name in change.names {
            guard let text = name.text else {
                // A text that this push brings may yet be rejected, and no device receives a key before its text is
                // stored.
                if kept[name.key] != nil { continue }
                return Rejection(
                    code: .unknownID,
                    detail: "\(name.key) is a UUID as servers make them for ids that are texts, and this space has no "
                        + "text for it. Give a new record a random UUID, or another text.")
            }
            // This is as likely as a collision of SHA-256.
            if let other = texts[name.key], !other.utf8.elementsEqual(text.utf8) {
                return Rejection(
                    code: .malformedID,
                    detail: "‘\(shortened(text))’ cannot be told from ‘\(shortened(other))’: choose another id.")
            }
        }
        return nil
    }

    /// Returns the command that stores the text ids that are new in the space, with their keys; `nil` if there are
    /// none. The ids in changes that were rejected or quarantined are left out.
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

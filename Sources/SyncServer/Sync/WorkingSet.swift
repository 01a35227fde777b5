import PGStore
import WireFormats

/// The records that one push touches, in memory: as they were, as they are becoming, and what their device expects.
struct WorkingSet {
    struct Key: Hashable {
        let entity: Int
        let id: ID
    }

    struct Entry {
        /// As the database has it; `nil` for a record that is new.
        let before: RecordState?
        var state: RecordState
        /// What the pushing device holds after its changes, by field of `view`; compared with what it would be sent.
        var expected: [Int: Value] = [:]
        var view: Projection?
        /// Whether the device may hold something else than what it pushed, so that it must be sent the record.
        var mustEcho = false
        /// Whether the device lost against a state that it had read, so that even what has not changed is news to it.
        var mustBeToldAgain = false
    }

    private(set) var entries: [Key: Entry] = [:]
    /// Keys in the order in which the push first named them: the order of their numbers.
    private(set) var order: [Key] = []

    subscript(key: Key) -> Entry? {
        get { entries[key] }
        set {
            if entries.updateValue(newValue!, forKey: key) == nil { order.append(key) }
        }
    }

    /// The entities that have records here, as places in `Hub.entities`, in their order.
    var entities: [Int] {
        Set(order.lazy.map(\.entity)).sorted()
    }

    func keys(of entity: Int) -> [Key] {
        order.filter { $0.entity == entity }
    }

    mutating func update(_ key: Key, _ body: (inout Entry) -> Void) {
        body(&entries[key]!)
    }
}

extension WorkingSet.Entry {
    var wasAlive: Bool { before?.isAlive ?? false }

    /// Whether devices must be told: what they read of it, or how late it was said. The latter decides against an edit
    /// that a device makes now; if that loses, nothing else would tell the device what stands instead.
    var isNews: Bool {
        guard let before, !mustBeToldAgain else { return true }
        if before.isAlive != state.isAlive { return true }
        if !state.isAlive { return before.died != state.died }
        return before.values != state.values || before.dangling != state.dangling || before.stamps != state.stamps
            || before.born != state.born
    }

    /// Whether the device reads what it said. It does not where a reference leads to nothing.
    func readsAsExpected(in entity: HubEntity) -> Bool {
        guard let view else { return true }
        return expected.allSatisfy { state.visible(view.fields[$0.key], in: entity) == $0.value }
    }

    /// Whether a reference that the device did not write reads otherwise than before, because its target came or went
    /// with the same push.
    func hasTurnedReference(of entity: HubEntity) -> Bool {
        guard let before, let view else { return false }
        let turned = before.dangling ^ state.dangling
        return entity.references.enumerated().contains { bit, reference in
            turned >> UInt64(bit) & 1 == 1
                && view.fields.indices.contains { view.fields[$0].column == reference.column && expected[$0] == nil }
        }
    }

    /// Whether anything must be written.
    var isChanged: Bool {
        before != state
    }
}

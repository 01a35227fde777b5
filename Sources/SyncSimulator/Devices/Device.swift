import SyncModel
import WireFormats

/// A device as `docs/protocol.md` says it should be: what the server told it, and apart from that what its user did and
/// the server has not answered yet. What the user sees is the one with the other on top.
struct Device {
    /// Its place in the fleet.
    private(set) var number: Int
    let manner: Manner
    /// How wrong its wall clock is.
    let skewMilliseconds: Int64
    private(set) var id: ID
    /// What the app is, as a place in the plan's `shapes`.
    private(set) var version: Int

    private(set) var base: Store = [:]
    /// The number with which the server last told of each record.
    private(set) var numbers: [ModelKey: Int64] = [:]
    private(set) var outbox: [Change] = []
    private(set) var cursor: String?
    /// The latest stamp that was made or seen here.
    private(set) var largest: Int64 = 0
    /// Whether the store holds all that this device has pushed, so that the cursor of a first push may be kept.
    private var holdsItsPushes = true
    /// While a snapshot is taken: what it held when that began and was not told of since.
    private var unconfirmed: Set<ModelKey>?
    /// Whether the app went back to an older version, dropped its records and kept the cursor, which says no more what
    /// the store holds. The server sees that from the version of the next pull.
    private var hasOnlyCursor = false
    /// Whether the cursor is one of a pull in this version.
    private var hasPulledAsIs = false
    /// Whether the next page is not one of a walk from nothing or of a widening, so that nothing in it may be old.
    private(set) var readsOnlyNews = false

    init(number: Int, id: ID, version: Int, manner: Manner, skewMilliseconds: Int64) {
        self.number = number
        self.id = id
        self.version = version
        self.manner = manner
        self.skewMilliseconds = skewMilliseconds
    }

    // MARK: What the user does

    /// The next reading of its hybrid logical clock.
    mutating func nextStamp(at milliseconds: Int64) -> Stamp {
        largest = max(Stamp(milliseconds: milliseconds + skewMilliseconds).rawValue, largest + 1)
        return Stamp(unchecked: largest)
    }

    /// Takes another device's stamp for its own next one, if it is later than all of its own.
    mutating func nextStamp(equalTo other: Stamp) -> Stamp? {
        guard other.rawValue > largest else { return nil }
        largest = other.rawValue
        return other
    }

    mutating func make(_ change: Change) { outbox.append(change) }

    /// What the user sees of a record. Attributes whose first value only the server knows are missing until it tells.
    func shown(_ key: ModelKey, _ vocabulary: Vocabulary) -> [String: Value]? {
        var record = base[key]
        // The effect of what an older version of the app did was migrated with the store.
        for change in outbox where change.key == key && change.version == version {
            Device.apply(change, kept: [], isNews: true, to: &record, vocabulary)
        }
        return record
    }

    private static func apply(
        _ change: Change, kept: Set<String>, isNews: Bool, to record: inout [String: Value]?, _ vocabulary: Vocabulary
    ) {
        switch change.operation {
        case .create:
            if record == nil {
                record = [:]
                for field in vocabulary.entity(change.key.entity)?.fields ?? [] { record?[field.name] = field.initial }
            }
        case .update: break
        case .delete: record = nil
        }
        // A whole record repeats its counters, and says nothing of them.
        let repeated = change.operation != .update ? [] : vocabulary.entity(change.key.entity)?.counters ?? []
        for (name, value) in change.fields where !kept.contains(name) && !repeated.contains(name) {
            record?[name] = value
        }
        guard isNews else { return }
        for (name, amount) in change.increments {
            if case .int(let sum)? = record?[name] { record?[name] = .int(sum + amount) }
        }
    }

    /// Returns the changes that a push may have. The server gives a change without a stamp a later one than its record
    /// has; so that it is known which, nothing of the record follows it there but what was made before the simulation
    /// began.
    ///
    /// - Parameter start: when that was, in milliseconds since 1970.
    func sendable(since start: Int64) -> [Change] {
        var given: Set<ID> = []
        return Array(
            outbox.prefix { change in
                if given.contains(change.key.id), !change.isStamped || change.stamp.milliseconds >= start {
                    return false
                }
                if !change.isStamped { given.insert(change.key.id) }
                return true
            })
    }

    // MARK: What is answered

    /// Every verdict is final: the changes leave the outbox, and what took effect is what the server has.
    mutating func settle(_ changes: [Change], _ answer: PushAnswer, _ vocabulary: Vocabulary) {
        let answered = Set(changes.map(\.number)).intersection(outbox.map(\.number))
        outbox.removeAll { answered.contains($0.number) }
        // Others had a verdict by an earlier answer.
        for (change, result) in zip(changes, answer.results) where answered.contains(change.number) {
            switch result.verdict {
            case "rejected", "superseded": break
            default:
                // In another version's terms the store cannot take it; it is told with the next pull.
                guard change.version == version else { continue }
                // What the server had forgotten it made anew; what it had not, a page will tell.
                if change.operation == .create, unconfirmed?.remove(change.key) != nil { base[change.key] = nil }
                // What was counted before, a page tells.
                let isNews = result.verdict != "unchanged"
                Device.apply(change, kept: result.kept, isNews: isNews, to: &base[change.key], vocabulary)
                if base[change.key] == nil { numbers[change.key] = nil }
            }
        }
        if cursor != nil || holdsItsPushes { cursor = answer.cursor }
        if cursor == nil { readsOnlyNews = false }
    }

    /// Takes a page in. Ends the snapshot with the last one.
    mutating func take(_ page: PageAnswer, wasPlain: Bool) throws {
        for record in page.records {
            if wasPlain, let known = numbers[record.key], record.seq <= known {
                throw Breach("device \(number) was sent \(record.key.shown) of \(record.seq), and had it of \(known)")
            }
            largest = max(largest, record.stamp.rawValue)
            unconfirmed?.remove(record.key)
            base[record.key] = record.fields
            numbers[record.key] = record.seq
        }
        cursor = page.cursor
        hasOnlyCursor = false
        hasPulledAsIs = true
        holdsItsPushes = true
        readsOnlyNews = !page.more
        guard !page.more, let gone = unconfirmed else { return }
        for key in gone {
            base[key] = nil
            numbers[key] = nil
        }
        unconfirmed = nil
    }

    /// After `cursor-expired`: the store stays, and the next pull begins from nothing.
    mutating func dropCursor() {
        cursor = nil
        holdsItsPushes = false
        readsOnlyNews = false
    }

    /// After `epoch-changed`: only what its user did and the server has not answered yet is left.
    mutating func beginAnew() {
        dropStore()
        holdsItsPushes = false
        readsOnlyNews = false
    }

    /// Before a pull. One from nothing is a snapshot: what no page names until its end no longer exists, whatever the
    /// user does to it meanwhile.
    mutating func prepareToPull() {
        if cursor == nil { unconfirmed = Set(base.keys) }
    }

    // MARK: What becomes of the app

    /// The app's newer version, with its own migration of the store, or without one and from the beginning.
    mutating func update(to newer: Vocabulary, migrating migration: LightweightMigration<Value>?) {
        if let migration, !hasOnlyCursor {
            var store: LightweightMigration<Value>.Store = [:]
            for (key, fields) in base { store[key.entity, default: [:]][key.id.description] = fields }
            base = [:]
            for (entity, records) in migration.migrated(store, from: version, to: newer.place) {
                for (text, fields) in records {
                    guard let id = ID(text) else { continue }
                    // What the app makes up where its own value does not fit, only the server will tell.
                    let misfits = newer.entity(entity)?.fields.filter { field in
                        fields[field.name].map { !field.fits($0) } ?? false
                    }
                    base[ModelKey(entity: entity, id: id)] = fields.filter { name, _ in
                        misfits?.contains { $0.name == name } == false
                    }
                }
            }
            // A snapshot under way was one of the older version's records.
            if unconfirmed != nil { dropStore() }
        } else {
            dropStore()
        }
        numbers = [:]
        hasPulledAsIs = false
        holdsItsPushes = false
        readsOnlyNews = false
        version = newer.place
    }

    /// An older version of the app, which drops what it cannot read.
    mutating func goBack(to older: Int, keepingCursor: Bool) {
        let kept = hasPulledAsIs ? cursor : nil
        dropStore()
        if keepingCursor, kept != nil {
            cursor = kept
            hasOnlyCursor = true
        }
        holdsItsPushes = false
        readsOnlyNews = false
        version = older
    }

    private mutating func dropStore() {
        base = [:]
        numbers = [:]
        cursor = nil
        hasOnlyCursor = false
        hasPulledAsIs = false
        unconfirmed = nil
    }

    /// What a backup of it becomes on the device in `place`, under an id of its own, as the protocol demands.
    func restored(on place: Int, as id: ID) -> Device {
        var copy = self
        copy.number = place
        copy.id = id
        return copy
    }

    /// What a backup of it holds of what the server told, without what its user did.
    func withoutOutbox() -> Device {
        var copy = self
        copy.outbox = []
        return copy
    }

    /// The app is deleted and installed again: nothing is left, not even who it was.
    mutating func reinstall(as id: ID) {
        dropStore()
        self.id = id
        outbox = []
        largest = 0
        holdsItsPushes = true
        readsOnlyNews = false
    }
}

extension ModelKey {
    var shown: String { "\(entity) \(id.description.prefix(8))" }
}

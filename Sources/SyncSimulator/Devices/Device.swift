import SyncModel
import WireFormats

/// A device that does as `docs/protocol.md` demands. It keeps the records that the server sent apart from the user's
/// changes that the server has not answered yet. The user sees the records with these changes applied.
struct Device {
    /// The device's index in the fleet.
    private(set) var number: Int
    let manner: Manner
    /// The error of the device's wall clock, in milliseconds; positive if the clock is ahead.
    let skewMilliseconds: Int64
    private(set) var id: ID
    /// The version of the app, as an index into the plan's `shapes`.
    private(set) var version: Int

    private(set) var base: Store = [:]
    /// The latest sequence number that the server sent with each record.
    private(set) var numbers: [ModelKey: Int64] = [:]
    private(set) var outbox: [Change] = []
    private(set) var cursor: String?
    /// The latest stamp that this device made or received.
    private(set) var largest: Int64 = 0
    /// True if the device still stores all records that it has pushed, so that it may keep the cursor of its first
    /// push.
    private var holdsItsPushes = true
    /// During a snapshot (a pull from the beginning): the records that the device stored when the snapshot began and
    /// has not received since.
    private var unconfirmed: Set<ModelKey>?
    /// True if the app went back to an older version, dropped its records and kept the cursor. The cursor then covers
    /// records that the device no longer has. The server detects this by the version of the next pull.
    private var hasOnlyCursor = false
    /// True if the cursor comes from a pull in the device's current version.
    private var hasPulledAsIs = false
    /// True if the next page must contain only records that have changed since the cursor. False during an initial
    /// sync, and while the server sends what an older version of the app could not see.
    private(set) var readsOnlyNews = false

    init(number: Int, id: ID, version: Int, manner: Manner, skewMilliseconds: Int64) {
        self.number = number
        self.id = id
        self.version = version
        self.manner = manner
        self.skewMilliseconds = skewMilliseconds
    }

    // MARK: What the user does

    /// Returns the next stamp of the device's hybrid logical clock.
    mutating func nextStamp(at milliseconds: Int64) -> Stamp {
        largest = max(Stamp(milliseconds: milliseconds + skewMilliseconds).rawValue, largest + 1)
        return Stamp(unchecked: largest)
    }

    /// Uses another device's stamp as its own next stamp, if it is later than all of its own; else returns `nil`.
    mutating func nextStamp(equalTo other: Stamp) -> Stamp? {
        guard other.rawValue > largest else { return nil }
        largest = other.rawValue
        return other
    }

    mutating func make(_ change: Change) { outbox.append(change) }

    /// Returns the record that the user sees. Attributes whose first value only the server knows are missing until the
    /// server sends them.
    func shown(_ key: ModelKey, _ vocabulary: Vocabulary) -> [String: Value]? {
        var record = base[key]
        // The effects of changes made in an older version were migrated with the store.
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
        // A whole record repeats its counters without changing them.
        let repeated = change.operation != .update ? [] : vocabulary.entity(change.key.entity)?.counters ?? []
        for (name, value) in change.fields where !kept.contains(name) && !repeated.contains(name) {
            record?[name] = value
        }
        guard isNews else { return }
        for (name, amount) in change.increments {
            if case .int(let sum)? = record?[name] { record?[name] = .int(sum + amount) }
        }
    }

    /// Returns the changes that a push may contain. The server gives a change without a stamp a stamp later than its
    /// record's. The simulation must be able to determine this stamp. So no other change of the record follows in the
    /// same push, except changes made before the simulation began.
    ///
    /// - Parameter start: the beginning of the simulation, in milliseconds since 1970.
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

    /// Applies the verdicts of a push. Every verdict is final: the changes leave the outbox, and the store takes over
    /// the values that took effect on the server.
    mutating func settle(_ changes: [Change], _ answer: PushReply, _ vocabulary: Vocabulary) {
        let answered = Set(changes.map(\.number)).intersection(outbox.map(\.number))
        outbox.removeAll { answered.contains($0.number) }
        // The other changes had a verdict in an earlier answer.
        for (change, result) in zip(changes, answer.results) where answered.contains(change.number) {
            switch result.verdict {
            case .rejected, .superseded: break
            case .applied, .merged, .unchanged, .held:
                // The store cannot apply a change of another version. The next pull contains its result.
                guard change.version == version else { continue }
                // If the server had forgotten the record, it has made it anew; if not, a page will contain the record.
                if change.operation == .create, unconfirmed?.remove(change.key) != nil { base[change.key] = nil }
                // The results of increments that were counted before come with a page.
                let isNews = result.verdict != .unchanged
                Device.apply(change, kept: result.kept, isNews: isNews, to: &base[change.key], vocabulary)
                if base[change.key] == nil { numbers[change.key] = nil }
            }
        }
        if cursor != nil || holdsItsPushes { cursor = answer.cursor }
        if cursor == nil { readsOnlyNews = false }
    }

    /// Stores the records of a page. The last page ends the snapshot.
    mutating func take(_ page: PageReply, wasPlain: Bool) throws {
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

    /// Drops the cursor after `cursor-expired`. The store stays, and the next pull begins with the first page.
    mutating func dropCursor() {
        cursor = nil
        holdsItsPushes = false
        readsOnlyNews = false
    }

    /// Drops the store after `epoch-changed`. Only the user's changes that the server has not answered yet stay.
    mutating func beginAnew() {
        dropStore()
        holdsItsPushes = false
        readsOnlyNews = false
    }

    /// Prepares a pull. A pull without a cursor is a snapshot: records that none of its pages names no longer exist,
    /// even if the user edits them meanwhile.
    mutating func prepareToPull() {
        if cursor == nil { unconfirmed = Set(base.keys) }
    }

    // MARK: What becomes of the app

    /// Updates the app to a newer version. The store is migrated, or dropped if there is no migration.
    mutating func update(to newer: Vocabulary, migrating migration: LightweightMigration<Value>?) {
        if let migration, !hasOnlyCursor {
            var store: LightweightMigration<Value>.Store = [:]
            for (key, fields) in base { store[key.entity, default: [:]][key.id.description] = fields }
            base = [:]
            for (entity, records) in migration.migrated(store, from: version, to: newer.index) {
                for (text, fields) in records {
                    guard let id = ID(text) else { continue }
                    // If the app's value does not fit, only the server knows the value that replaces it.
                    let misfits = newer.entity(entity)?.fields.filter { field in
                        fields[field.name].map { !field.fits($0) } ?? false
                    }
                    base[ModelKey(entity: entity, id: id)] = fields.filter { name, _ in
                        misfits?.contains { $0.name == name } == false
                    }
                }
            }
            // A snapshot in progress was one of the older version's records.
            if unconfirmed != nil { dropStore() }
        } else {
            dropStore()
        }
        numbers = [:]
        hasPulledAsIs = false
        holdsItsPushes = false
        readsOnlyNews = false
        version = newer.index
    }

    /// Replaces the app by an older version, which drops the records that it cannot read.
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

    /// Returns the device that a backup becomes at index `index` of the fleet, with a new id, as the protocol demands.
    func restored(on index: Int, as id: ID) -> Device {
        var copy = self
        copy.number = index
        copy.id = id
        return copy
    }

    /// Returns a copy without the user's unanswered changes, as a backup of the server's records alone.
    func withoutOutbox() -> Device {
        var copy = self
        copy.outbox = []
        return copy
    }

    /// Deletes the app and installs it again: all state is lost, including the device's id.
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

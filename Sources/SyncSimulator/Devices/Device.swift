import SyncModel
import WireFormats

/// A simulated device that follows `docs/protocol.md`. It stores the records that the server sent in `base`, and the
/// user's changes that the server has not answered yet in `outbox`. The user sees the records with these changes
/// applied.
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
    /// For each record, the latest sequence number that the server sent with it.
    private(set) var numbers: [ModelKey: Int64] = [:]
    private(set) var outbox: [Change] = []
    private(set) var cursor: String?
    /// The latest stamp that this device made or received.
    private(set) var largest: Int64 = 0
    /// True if the device still has all records that it has pushed.
    ///
    /// The cursor in a push's answer covers the pushed records. So a device without a cursor may store that cursor only
    /// if it still has them.
    private var holdsItsPushes = true
    /// The records that the device stored when a snapshot (a pull from the beginning) began, and has not received
    /// since; `nil` while no snapshot is under way.
    private var unconfirmed: Set<ModelKey>?
    /// True if the app was replaced by an older version that dropped all records but kept the cursor.
    ///
    /// The server then takes the device to have all records up to the cursor, although it has none. It notices the
    /// error at the next pull, because the pull's version is not that of the cursor.
    private var hasOnlyCursor = false
    /// True if the device received its cursor from a pull in its present version.
    private var hasPulledAsIs = false
    /// True if the next page may contain only records that have changed since the device's cursor.
    ///
    /// False during a pull from the beginning. Also false after an update of the app, while the device receives data
    /// that its older version could not see.
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

    /// Returns the stamp of another device as this device's next stamp; `nil` if it is not later than all stamps that
    /// this device made or received.
    mutating func nextStamp(equalTo other: Stamp) -> Stamp? {
        guard other.rawValue > largest else { return nil }
        largest = other.rawValue
        return other
    }

    mutating func make(_ change: Change) { outbox.append(change) }

    /// Returns the record as the user sees it; `nil` if there is none. It has the values that the server sent, with the
    /// user's unanswered changes applied.
    ///
    /// An attribute is missing if only the server can compute its initial value and has not sent it yet.
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

    /// Returns the changes for the next push: the first changes of the outbox, up to a change that must wait.
    ///
    /// The server gives a stamp to a change without one. The simulation must read this stamp before another change of
    /// the same record replaces it, so the other change waits for a later push. It need not wait if its own stamp is
    /// from before the simulation.
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

    /// Applies the verdicts on a push's changes. Each verdict is final, so the changes leave the outbox. The values
    /// that took effect on the server are stored in `base`.
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

    /// Stores the records of a page. At the end of a pull from the beginning, removes all records that were on none of
    /// its pages.
    ///
    /// - Parameter wasPlain: true if the device had pulled everything before, in the same version. Then every record on
    ///   the page must be new to the device, or have a later sequence number than the device knows.
    /// - Throws: `Breach` if `wasPlain` is true and a record is not newer.
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

    /// Drops the cursor after the refusal `cursor-expired`. The records stay, and the next pull is from the beginning.
    mutating func dropCursor() {
        cursor = nil
        holdsItsPushes = false
        readsOnlyNews = false
    }

    /// Drops the records and the cursor, after the server has refused a request with `epoch-changed`. The user's
    /// changes stay in the outbox if the server has not answered them.
    mutating func beginAnew() {
        dropStore()
        holdsItsPushes = false
        readsOnlyNews = false
    }

    /// Prepares a pull. Without a cursor it is a snapshot (a pull from the beginning): after its last page, the device
    /// removes all records that none of its pages contained, also those that the user edits meanwhile.
    mutating func prepareToPull() {
        if cursor == nil { unconfirmed = Set(base.keys) }
    }

    // MARK: What becomes of the app

    /// Updates the app to a newer version.
    ///
    /// - Parameters:
    ///   - newer: the entities and attributes of the newer version.
    ///   - migration: migrates the stored records; `nil` to drop them.
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

    /// Replaces the app by an older version. It drops all records, because it cannot read the newer version's store.
    ///
    /// - Parameter keepingCursor: true to keep the cursor. It is kept only if the device received it from a pull in the
    ///   newer version; an older cursor is dropped.
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

    /// Returns the device that results if a backup with this state is restored. It gets a new id, as the protocol
    /// demands.
    ///
    /// - Parameter index: the index of the restored device in the fleet.
    func restored(on index: Int, as id: ID) -> Device {
        var copy = self
        copy.number = index
        copy.id = id
        return copy
    }

    /// Returns a copy of the device without the user's unanswered changes, with only what the server has sent.
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

import WireFormats

/// The devices that a process has seen, and the sightings that it has not yet written. It is the state of `Census`,
/// without its lock and without a database.
///
/// A known device costs one look-up. It becomes due for writing when its time or its outbox age has changed by at least
/// `unmoved` since it was last taken for writing. A new device is due immediately.
struct CensusBook {
    /// The key of an entry: one device in one version of one app. `app` is an index in `Census.apps`, and `shape` is an
    /// index in the plan's `shapes`.
    struct Key: Hashable, Sendable {
        let app: Int
        let shape: Int
        let device: ID
    }

    /// The sightings of one device in one version. All times are in microseconds.
    struct Entry: Sendable {
        var first: Int64
        var last: Int64
        /// The age of the device's outbox (its unsent changes) in seconds, as the device last stated it.
        ///
        /// It becomes `nil` when the entry is taken for writing, until the device states an age again. So an old age is
        /// never stored with a later time.
        var outboxAge: Int64?
        /// The subject of the token that the device used when the entry became due; `nil` for devices that state no id.
        var subject: Subject?
        /// True if the entry is to be written; its index is then in `due`.
        fileprivate(set) var isDue = true
        /// The values of `last` and `outboxAge` when the entry was last taken to be written to the database; `nil` if
        /// it never was.
        fileprivate var taken: (last: Int64, outboxAge: Int64?)?

        init(first: Int64, last: Int64, outboxAge: Int64?, subject: Subject?) {
            self.first = first
            self.last = last
            self.outboxAge = outboxAge
            self.subject = subject
        }

        /// Adds another sighting of the device.
        ///
        /// - Returns: true if the entry was not due for writing before and is due now.
        fileprivate mutating func see(_ time: Int64, of subject: Subject?, outboxAge: Int64?, unmoved: Int64) -> Bool {
            if time > last { last = time }
            if let outboxAge { self.outboxAge = outboxAge }
            guard !isDue, hasMoved(unmoved) else { return false }
            isDue = true
            self.subject = subject
            return true
        }

        private func hasMoved(_ unmoved: Int64) -> Bool {
            guard let taken else { return true }
            if last - taken.last >= unmoved { return true }
            guard let outboxAge else { return false }
            guard let before = taken.outboxAge else { return true }
            return abs(outboxAge - before) >= unmoved / 1_000_000
        }
    }

    /// The entries, in no particular order; `indices` finds the entry of a key. They are not the values of a
    /// dictionary, because changing such a value in place would allocate memory each time.
    private var entries: [(key: Key, entry: Entry)] = []
    private var indices: [Key: Int] = [:]
    /// The indices in `entries` of the entries that are due for writing.
    private var due: [Int] = []
    /// The count of entries that were taken for writing, and were not yet confirmed as written or put back.
    private(set) var underWay = 0
    private var newcomers = CensusNewcomers()
    private let entriesMax: Int
    /// The least change of a device's last sighting or outbox age that makes its entry due for writing again, in
    /// microseconds.
    private let unmoved: Int64

    init(entriesMax: Int, unmoved: Duration) {
        self.entriesMax = entriesMax
        self.unmoved = unmoved.components.seconds * 1_000_000
    }

    /// The count of known pairs of a device and a version, and the count of those pairs that are due for writing.
    var counts: (known: Int, due: Int) { (entries.count, due.count) }

    /// Notes that a device was seen with a token of `subject`. If the device is unknown here and its subject has added
    /// too many devices already, it is counted together with the devices that state no id.
    mutating func note(_ key: Key, of subject: Subject, at time: Int64, outboxAge: Int64?) {
        if key.isAnonymous { return note(key, of: nil, at: time, outboxAge: outboxAge) }
        let isAdmitted =
            indices[key] != nil || newcomers.admit(CensusNewcomers.Source(app: key.app, subject: subject), at: time)
        note(isAdmitted ? key : key.anonymous, of: isAdmitted ? subject : nil, at: time, outboxAge: outboxAge)
    }

    private mutating func note(_ key: Key, of subject: Subject?, at time: Int64, outboxAge: Int64?) {
        if let index = indices[key] {
            let becameDue = entries[index].entry.see(time, of: subject, outboxAge: outboxAge, unmoved: unmoved)
            if becameDue { due.append(index) }
        } else {
            add(key, Entry(first: time, last: time, outboxAge: outboxAge, subject: subject))
        }
    }

    /// Takes at most `limit` entries for writing. They are not due again unless they are put back.
    mutating func take(_ limit: Int) -> [(Key, Entry)] {
        let taken = due.suffix(limit)
        due.removeLast(taken.count)
        underWay += taken.count
        return taken.map { index in
            let (key, news) = entries[index]
            entries[index].entry.isDue = false
            entries[index].entry.taken = (news.last, news.outboxAge ?? news.taken?.outboxAge)
            entries[index].entry.outboxAge = nil
            return (key, news)
        }
    }

    /// Confirms that `count` of the entries that were taken for writing are now written.
    mutating func confirm(_ count: Int) { underWay = max(0, underWay - count) }

    /// Marks entries that could not be written as due for writing again.
    mutating func putBack(_ taken: [(Key, Entry)]) {
        confirm(taken.count)
        for (key, entry) in taken {
            if let index = indices[key] {
                makeDue(index, outboxAge: entry.outboxAge)
            } else {
                add(
                    key,
                    Entry(first: entry.first, last: entry.last, outboxAge: entry.outboxAge, subject: entry.subject))
            }
        }
    }

    /// Makes all entries due again, because the database has lost them.
    mutating func writeAllAgain() {
        for index in entries.indices { makeDue(index, outboxAge: entries[index].entry.taken?.outboxAge) }
    }

    /// Marks the entry at an index as due for writing.
    ///
    /// - Parameter outboxAge: the outbox age in seconds that was to be written before. It is used only if the device
    ///   has stated none since.
    private mutating func makeDue(_ index: Int, outboxAge: Int64?) {
        if entries[index].entry.outboxAge == nil { entries[index].entry.outboxAge = outboxAge }
        if !entries[index].entry.isDue { due.append(index) }
        entries[index].entry.isDue = true
    }

    /// Adds an entry.
    ///
    /// If there are too many entries, those that are already written are forgotten to make room. If most are not
    /// written yet, the new device is counted among the devices that state no id, so that its version still counts as
    /// in use.
    private mutating func add(_ key: Key, _ entry: Entry) {
        if entries.count >= entriesMax, entries.count - due.count >= entriesMax / 2 { forgetWritten() }
        guard entries.count >= entriesMax, !key.isAnonymous else {
            indices[key] = entries.count
            due.append(entries.count)
            entries.append((key, entry))
            return
        }
        note(key.anonymous, of: nil, at: entry.last, outboxAge: entry.outboxAge)
    }

    private mutating func forgetWritten() {
        entries.removeAll { !$0.entry.isDue }
        indices = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.key, $0) })
        due = Array(entries.indices)
    }
}

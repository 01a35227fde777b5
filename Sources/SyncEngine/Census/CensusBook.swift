import WireFormats

/// What a process has seen and not yet written: the state behind `Census`, without its lock and without a database.
///
/// A device that is known here costs one look-up. It becomes due for writing when its time, or what it says of its
/// outbox, has moved by `unmoved` since it was taken; a new one at once.
struct CensusBook {
    /// One device in one version of one app; the app and the shape by their places.
    struct Key: Hashable, Sendable {
        let app: Int
        let shape: Int
        let device: ID
    }

    /// What is known of a device in a version, times in microseconds.
    struct Entry: Sendable {
        var first: Int64
        var last: Int64
        /// What it said since it was last taken: an older report must not be written with a newer time.
        var outboxAge: Int64?
        /// Whose token it came with when it became due; `nil` for those that state no device.
        var subject: Subject?
        /// Whether it waits in `due`.
        fileprivate(set) var isDue = true
        /// As it was when it was last taken to be written.
        fileprivate var taken: (last: Int64, outboxAge: Int64?)?

        init(first: Int64, last: Int64, outboxAge: Int64?, subject: Subject?) {
            self.first = first
            self.last = last
            self.outboxAge = outboxAge
            self.subject = subject
        }

        /// Takes in another sighting.
        ///
        /// - Returns: whether it has thereby become due.
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

    /// In no order; found by `places`. Changing a dictionary's values where they are would allocate each time.
    private var entries: [(key: Key, entry: Entry)] = []
    private var places: [Key: Int] = [:]
    /// Places in `entries`.
    private var due: [Int] = []
    /// How many were taken of which nobody knows yet whether they are written.
    private(set) var underWay = 0
    private var newcomers = CensusNewcomers()
    private let entriesMax: Int
    /// In microseconds.
    private let unmoved: Int64

    init(entriesMax: Int, unmoved: Duration) {
        self.entriesMax = entriesMax
        self.unmoved = unmoved.components.seconds * 1_000_000
    }

    /// How many devices and versions are known, and how many of them are to be written.
    var counts: (known: Int, due: Int) { (entries.count, due.count) }

    /// Notes that a device was seen with a token of `subject`. One that is not known here counts among those that state
    /// none where its subject has added too many.
    mutating func note(_ key: Key, of subject: Subject, at time: Int64, outboxAge: Int64?) {
        if key.isAnonymous { return note(key, of: nil, at: time, outboxAge: outboxAge) }
        let isAdmitted =
            places[key] != nil || newcomers.admit(CensusNewcomers.Source(app: key.app, subject: subject), at: time)
        note(isAdmitted ? key : key.anonymous, of: isAdmitted ? subject : nil, at: time, outboxAge: outboxAge)
    }

    private mutating func note(_ key: Key, of subject: Subject?, at time: Int64, outboxAge: Int64?) {
        if let place = places[key] {
            let becameDue = entries[place].entry.see(time, of: subject, outboxAge: outboxAge, unmoved: unmoved)
            if becameDue { due.append(place) }
        } else {
            add(key, Entry(first: time, last: time, outboxAge: outboxAge, subject: subject))
        }
    }

    /// At most `limit` entries to write, which are not due again unless they are put back.
    mutating func take(_ limit: Int) -> [(Key, Entry)] {
        let taken = due.suffix(limit)
        due.removeLast(taken.count)
        underWay += taken.count
        return taken.map { place in
            let (key, news) = entries[place]
            entries[place].entry.isDue = false
            entries[place].entry.taken = (news.last, news.outboxAge ?? news.taken?.outboxAge)
            entries[place].entry.outboxAge = nil
            return (key, news)
        }
    }

    /// So many that were taken are written.
    mutating func confirm(_ count: Int) { underWay = max(0, underWay - count) }

    /// What could not be written is due again.
    mutating func putBack(_ taken: [(Key, Entry)]) {
        confirm(taken.count)
        for (key, entry) in taken {
            if let place = places[key] {
                makeDue(place, outboxAge: entry.outboxAge)
            } else {
                add(
                    key,
                    Entry(first: entry.first, last: entry.last, outboxAge: entry.outboxAge, subject: entry.subject))
            }
        }
    }

    /// The database has lost what was written.
    mutating func writeAllAgain() {
        for place in entries.indices { makeDue(place, outboxAge: entries[place].entry.taken?.outboxAge) }
    }

    /// - Parameter outboxAge: what it said before; what it has said since stands.
    private mutating func makeDue(_ place: Int, outboxAge: Int64?) {
        if entries[place].entry.outboxAge == nil { entries[place].entry.outboxAge = outboxAge }
        if !entries[place].entry.isDue { due.append(place) }
        entries[place].entry.isDue = true
    }

    /// Where the book is full, makes room by forgetting what is written. Where little is, because writing fails or more
    /// come than it is made for, the device counts among those that state none: a version that is in use stays so.
    private mutating func add(_ key: Key, _ entry: Entry) {
        if entries.count >= entriesMax, entries.count - due.count >= entriesMax / 2 { forgetWritten() }
        guard entries.count >= entriesMax, !key.isAnonymous else {
            places[key] = entries.count
            due.append(entries.count)
            entries.append((key, entry))
            return
        }
        note(key.anonymous, of: nil, at: entry.last, outboxAge: entry.outboxAge)
    }

    private mutating func forgetWritten() {
        entries.removeAll { !$0.entry.isDue }
        places = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.key, $0) })
        due = Array(entries.indices)
    }
}

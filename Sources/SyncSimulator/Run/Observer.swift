import WireFormats

/// A client without a `Device-Id` that only reads, in one version. It remembers some of its cursors. At a check it
/// pulls from each of them, and must receive all changes since (promise P3).
struct Observer {
    let version: Int
    private(set) var store: Store = [:]
    private(set) var cursor: String?
    private(set) var remembered: [(cursor: String, store: Store)] = []
    private var lastNumber: Int64 = 0

    /// The maximum number of remembered cursors. At every check, the observer pulls from each of them, which takes
    /// time.
    private static let rememberedMax = 4

    init(version: Int) {
        self.version = version
    }

    /// Makes an observer that continues from a cursor that another one has remembered, with the records of that time.
    init(version: Int, from remembered: (cursor: String, store: Store)) {
        self.version = version
        (cursor, store) = remembered
    }

    mutating func take(_ page: PageReply) throws {
        for record in page.records {
            guard record.seq > lastNumber else {
                throw Breach("a page of \(version) tells \(record.key.shown) of \(record.seq) after \(lastNumber)")
            }
            lastNumber = record.seq
            store[record.key] = record.fields
        }
        cursor = page.cursor
    }

    mutating func remember(using random: inout SplitMix64) {
        guard let cursor else { return }
        if remembered.count < Observer.rememberedMax {
            remembered.append((cursor, store))
        } else {
            remembered[random.below(Observer.rememberedMax)] = (cursor, store)
        }
    }
}

import WireFormats

/// A client that only reads, in one version, and sends no `Device-Id`.
///
/// It remembers some of its cursors. A check pulls from each of them, and must receive all changes since then (promise
/// P3 in `docs/architecture.md`).
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

    /// Makes an observer that continues from a cursor that another observer has remembered.
    ///
    /// - Parameter remembered: the cursor, and all records that the other observer had received up to it.
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

import WireFormats

/// A client without a `Device-Id` that only reads, in one version. It remembers cursors, to check later that the server
/// sends all changes since each of them (promise P3).
struct Observer {
    let version: Int
    private(set) var store: Store = [:]
    private(set) var cursor: String?
    private(set) var remembered: [(cursor: String, store: Store)] = []
    private var lastNumber: Int64 = 0

    /// The maximum number of remembered cursors. At every check the observer reads on from each of them.
    private static let rememberedMax = 4

    init(version: Int) {
        self.version = version
    }

    /// Makes a new device that reads on from a remembered cursor.
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

    func checkNumbers(upTo head: Int64) throws {
        guard lastNumber <= head else { throw Breach("a record has the number \(lastNumber), and the head is \(head)") }
    }
}

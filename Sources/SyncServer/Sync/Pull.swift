import PGStore
import WireFormats

/// One page of a pull inside its transaction: the way of a pull, top to bottom.
struct Pull {
    /// The version's whole view.
    let view: View
    let spaces: Spaces
    let space: ID
    let device: ID?
    let limit: Int
    /// Whether each record comes with all its stamps.
    let withStamps: Bool

    /// The most bytes of records in one page, so that a phone on a bad line gets through it. One record may exceed it.
    static let pageSizeMaxBytes = 1 << 20

    /// What is read, and how it is written.
    struct View: Sendable {
        let query: PageQuery
        /// In the order of the query's entities.
        let encoders: [PageEncoder]
    }

    struct Page: Sendable {
        /// The records' JSON, comma-separated.
        var changes: [UInt8] = []
        /// Everything up to here has been sent.
        var seq: Int64
        /// What the cursor carries from now on.
        var origin: Int64 = 0
        /// How far a widening has got that is not at its end; `seq` is then where it ends.
        var walked: Int64?
        var more = false
        var head: Int64
        var epoch: ID
    }

    /// Where a pull starts. Without a cursor it starts with nothing, at the head that it finds.
    enum Start {
        case nothing
        case after(seq: Int64, origin: Int64)
        /// With what the device could not see of the records up to `seq`, but not before `walked`; nothing, where the
        /// view is `nil`.
        case widening(View?, walked: Int64, seq: Int64, origin: Int64)
    }

    /// Where a pull most likely starts, as its cursor says: what comes next is then listed in the round trip that reads
    /// where the space stands.
    struct Guess: Equatable {
        let seq: Int64
        /// With nothing read, nothing is passed over, and so it does not matter where the head is.
        let origin: Int64

        static let nothing = Guess(seq: 0, origin: .max)
    }

    /// - Parameter guess: where it most likely starts; if it does not, that costs a round trip.
    func run(
        guessing guess: Guess, from start: @Sendable (SpaceState) throws -> Start, on session: isolated Session
    ) throws -> Page {
        let results = try session.pipeline([
            spaces.readingHead(space),
            view.query.listing(space, after: guess.seq, device: device, origin: guess.origin, limit: limit + 1),
        ])
        let state = SpaceState(results[0])
        var list: Rows?
        guard !spaces.isOutdated(for: state) else { throw SyncError.outdated }
        let head = state.head
        var page = Page(seq: 0, head: head, epoch: state.epoch)
        switch try start(state) {
        case .nothing:
            page.origin = head
            if guess == .nothing { list = results[1] }
        case .after(let seq, let origin):
            (page.seq, page.origin) = (seq, origin)
            if guess == Guess(seq: seq, origin: origin) { list = results[1] }
        case .widening(let widened, let walked, let seq, let origin):
            // What it pushed until now it pushed in the older version, or before it was told all that the newer one
            // sees, so nothing of that counts as its own.
            (page.seq, page.origin) = (seq, max(origin, head))
            if let widened, walked < seq { try widen(&page, widened, after: walked, session) }
            if !page.changes.isEmpty { return page }
        }
        if page.seq < head {
            try fill(&page, view, through: head, device: device, listed: list, session)
            // The device may edit what it has not been told of yet, and so move it behind the page that would have told
            // it. So in the rest of a walk nothing up to now counts as its own.
            if page.more { page.origin = max(page.origin, head) }
        }
        return page
    }

    /// A page of the records up to `page.seq` that are widened. The increment begins on a page of its own.
    private func widen(
        _ page: inout Page, _ widened: View, after walked: Int64, _ session: isolated Session
    ) throws {
        let end = page.seq
        page.seq = walked
        try fill(&page, widened, through: end, device: nil, isBounded: true, session)
        if page.more, !PlantedBug.wideningCutShort.isPlanted { page.walked = page.seq }
        page.seq = end
        page.more = page.more || end < page.head
    }

    /// Fills the page with what comes after `page.seq`.
    ///
    /// - Parameter listed: what comes next, where that was read already.
    private func fill(
        _ page: inout Page, _ view: View, through end: Int64, device: ID?, isBounded: Bool = false,
        listed: Rows? = nil, _ session: isolated Session
    ) throws {
        let (query, seq, origin) = (view.query, page.seq, page.origin)
        let listing = query.listing(
            space, after: seq, device: device, origin: origin, limit: limit + 1, through: isBounded ? end : nil)
        let list = try listed ?? session.execute(listing)
        let count = min(list.count, limit)
        page.more = list.count > limit
        // Every number up to the head was committed before the list was read, so an unfinished list is the only reason
        // to stop short of it.
        guard count > 0 else {
            page.seq = end
            return
        }
        let last = list.int(count - 1, 0)
        // What the device brought to its state itself is passed over.
        let places = Set((0..<count).filter { !list.bool($0, 2) }.map { Int(list.int($0, 1)) }).sorted()
        page.seq = page.more ? last + (PlantedBug.pageBoundary.isPlanted ? 1 : 0) : max(last, end)
        if places.isEmpty { return }
        let results = try session.pipeline(
            places.map {
                query.reading($0, space, after: seq, through: last, device: device, origin: origin)
            })
        encode(places, results, view.encoders, into: &page)
    }

    /// Merges the tables' rows by their numbers. Stops early at the size limit.
    private func encode(_ places: [Int], _ results: [Rows], _ encoders: [PageEncoder], into page: inout Page) {
        var writer = JSONWriter(capacity: 64 << 10)
        var next = Array(repeating: 0, count: results.count)
        while true {
            var best: Int?
            var bestSeq = Int64.max
            for index in results.indices where next[index] < results[index].count {
                let seq = results[index].int(next[index], 0)
                if seq < bestSeq { (best, bestSeq) = (index, seq) }
            }
            guard let best else { break }
            if writer.bytes.count > Pull.pageSizeMaxBytes {
                page.seq = bestSeq - 1
                page.more = true
                break
            }
            encoders[places[best]].write(results[best], next[best], withStamps: withStamps, to: &writer)
            next[best] += 1
        }
        page.changes = writer.bytes
    }
}

import PGStore
import WireFormats

/// One page of a pull inside its transaction: the way of a pull, top to bottom.
struct Pull {
    let query: PageQuery
    let encoders: [PageEncoder]
    let spaces: Spaces
    let space: ID
    let device: ID?
    let limit: Int

    /// The most bytes of records in one page, so that a phone on a bad line gets through it. One record may exceed it.
    static let pageSizeMaxBytes = 1 << 20

    struct Page: Sendable {
        /// The records' JSON, comma-separated.
        var changes: [UInt8] = []
        /// Everything up to here has been sent.
        var seq: Int64
        var more = false
        var head: Int64
        var epoch: ID
    }

    /// Where a pull starts. Without a cursor it starts with nothing, at the head that it finds.
    enum Start {
        case nothing
        case after(seq: Int64, origin: Int64)
    }

    /// - Returns: the page, and the origin that its cursor carries.
    func run(
        from start: @Sendable (_ epoch: ID, _ head: Int64) throws -> Start, on session: isolated Session
    ) throws -> (page: Page, origin: Int64) {
        let headRow = try session.execute(spaces.readingHead(space))
        let head = headRow.intIfPresent(0, 0) ?? 0
        let epoch = headRow.id(0, 1)
        let (seq, origin): (Int64, Int64)
        switch try start(epoch, head) {
        case .nothing: (seq, origin) = (0, head)
        case .after(let last, let began): (seq, origin) = (last, began)
        }
        var page = Page(seq: seq, head: head, epoch: epoch)
        if seq < head { try fill(&page, after: seq, origin: origin, session) }
        // The device may edit what it has not been told of yet, and so move it behind the page that would have told it.
        // So in the rest of a walk nothing up to now counts as its own.
        return (page, page.more ? max(origin, head) : origin)
    }

    private func fill(_ page: inout Page, after seq: Int64, origin: Int64, _ session: isolated Session) throws {
        let list = try session.execute(
            query.listing(space, after: seq, device: device, origin: origin, limit: limit + 1))
        let count = min(list.count, limit)
        page.more = list.count > limit
        // Every number up to the head was committed before the list was read, so an unfinished list is the only reason
        // to stop short of it.
        guard count > 0 else {
            page.seq = page.head
            return
        }
        let last = list.int(count - 1, 0)
        // What the device brought to its state itself is passed over.
        let places = Set((0..<count).filter { !list.bool($0, 2) }.map { Int(list.int($0, 1)) }).sorted()
        page.seq = page.more ? last : max(last, page.head)
        if places.isEmpty { return }
        let results = try session.pipeline(
            places.map {
                query.reading($0, space, after: seq, through: last, device: device, origin: origin)
            })
        encode(places, results, into: &page)
    }

    /// Merges the tables' rows by their numbers. Stops early at the size limit.
    private func encode(_ places: [Int], _ results: [Rows], into page: inout Page) {
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
            encoders[places[best]].write(results[best], next[best], to: &writer)
            next[best] += 1
        }
        page.changes = writer.bytes
    }
}

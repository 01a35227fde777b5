import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// One page of a pull inside its transaction: the way of a pull, top to bottom.
struct Pull {
    /// The version's whole view.
    let view: View
    let spaces: Spaces
    let app: String
    let space: ID
    /// The count of rights that the space must have; `nil` for any.
    let rights: Int64?
    /// Where the device says that it is, which the space must bear out.
    let cursor: Cursor?
    let start: Start
    let limit: Int
    /// Whether each record comes with all its stamps.
    let withStamps: Bool
    /// The most bytes of values that are fetched for the page; one record may exceed it.
    var bytesMax = Pull.fetchedMaxBytes

    /// So few numbers ahead, a page shares a transaction with those of other spaces.
    static let smallMax: Int64 = 64

    /// The same that fetches no more than its part of what one may.
    func small(sharedBy count: Int) -> Pull {
        var small = self
        small.bytesMax = Pull.fetchedMaxBytes / count
        return small
    }

    /// The most bytes of records in one page, so that a phone on a bad line gets through it. One record may exceed it.
    static let pageSizeMaxBytes = 1 << 20
    /// The most bytes of values that are fetched for one page; one record may exceed it. Somewhat more than a page has,
    /// because how large records are is only estimated for most pages.
    static let fetchedMaxBytes = 4 << 20

    /// What is read, and how it is written.
    struct View: Sendable {
        let query: PageQuery
        /// In the order of the query's entities.
        let encoders: [PageEncoder]
    }

    struct Page: Sendable {
        /// The records' JSON, comma-separated.
        var changes: [UInt8] = []
        var count = 0
        /// Everything up to here has been sent.
        var seq: Int64
        /// How far a widening has got that is not at its end; `seq` is then where it ends.
        var walked: Int64?
        var more = false
        /// Whether the numbers that were read held so few records that the page must be completed by the list.
        var isThin = false
        /// Where the space stood.
        var space: SpaceState
        var head: Int64 { space.head }
        var epoch: ID { space.epoch }
    }

    /// Where a pull starts.
    enum Start {
        /// With nothing, at the head that it finds.
        case nothing
        /// - Parameter acknowledged: the numbers above `seq` that the device was acknowledged.
        case after(seq: Int64, acknowledged: NumberRanges)
        /// With what the device could not see of the records up to `seq`, but not before `walked`; nothing, where the
        /// view is `nil`.
        case widening(View?, walked: Int64, seq: Int64)
    }

    /// Whose page it is. A device that is widened pushed in the older version until now, or before it was told all that
    /// the newer one sees: it is passed nothing over.
    var reader: PageQuery.Reader {
        switch start {
        case .nothing: PageQuery.Reader(space: space, seq: 0)
        case .after(let seq, let acknowledged):
            PageQuery.Reader(space: space, seq: seq, acknowledged: acknowledged.bounds)
        case .widening(_, _, let seq): PageQuery.Reader(space: space, seq: seq)
        }
    }

    /// An empty page that stands where the cursor did.
    ///
    /// - Parameter rows: what `Spaces.readingHead` returned.
    /// - Throws: `SyncError.outdated`, `rightsChanged`; `badCursor`, `epochChanged`, `cursorExpired`.
    func begin(_ rows: Rows) throws -> Page {
        let state = SpaceState(rows, rights: 7, recordSize: 6)
        try spaces.check(state, rights: rights)
        try cursor?.check(against: state, app: app, space: space)
        return Page(seq: reader.seq, space: state)
    }

    /// A page by the list of what comes next.
    ///
    /// - Parameter thin: the page's beginning, where another transaction has read that from windows.
    func list(completing thin: Page? = nil, on session: isolated Session) throws -> Page {
        if case .widening(let widened?, let walked, let seq) = start, walked < seq {
            return try widen(widened, after: walked, session)
        }
        let results = try session.pipeline([
            spaces.readingHead(space),
            view.query.listing(for: reader, after: thin?.seq ?? reader.seq, limit: room(behind: thin, view) + 1),
        ])
        var page = try begin(results[0])
        var list = results[1]
        if let thin, thin.head == page.head, thin.epoch == page.epoch {
            (page.seq, page.count, page.changes) = (thin.seq, thin.count, thin.changes)
        } else if thin != nil {
            // The space has moved, and a record that the page begins with may be told once more in the rest.
            list = try session.execute(
                view.query.listing(for: reader, after: page.seq, limit: room(behind: page, view) + 1))
        }
        try fill(&page, view, reader, by: list, through: page.head, session)
        return page
    }

    /// How many records a list adds to a page at most.
    private func room(behind page: Page?, _ view: View) -> Int {
        min(limit - (page?.count ?? 0), view.query.listedMax)
    }

    /// A page of the records up to the cursor's number that are widened. The increment begins on a page of its own,
    /// unless nothing is left to widen.
    private func widen(_ widened: View, after walked: Int64, _ session: isolated Session) throws -> Page {
        let everybody = PageQuery.Reader(space: space, seq: walked)
        let end = reader.seq
        let results = try session.pipeline([
            spaces.readingHead(space),
            widened.query.listing(
                for: everybody, after: walked, limit: room(behind: nil, widened) + 1, through: end),
        ])
        var page = try begin(results[0])
        page.seq = walked
        try fill(&page, widened, everybody, by: results[1], through: end, session)
        if page.more, !PlantedBug.wideningCutShort.isPlanted { page.walked = page.seq }
        page.seq = end
        page.more = page.more || end < page.head
        if page.count > 0 || end == page.head { return page }
        page.more = false
        let list = try session.execute(
            view.query.listing(for: reader, after: end, limit: room(behind: page, view) + 1))
        try fill(&page, view, reader, by: list, through: page.head, session)
        return page
    }

    /// Fills the page with what comes after `page.seq`, and ends the transaction if there is anything.
    private func fill(
        _ page: inout Page, _ view: View, _ reader: PageQuery.Reader, by list: Rows, through end: Int64,
        _ session: isolated Session
    ) throws {
        // A number beyond the head was not given by us: a cursor that followed it would be none of this space.
        let list = PageQuery.Listed.all(list).filter { $0.seq <= max(end, page.head) }
        let count = fitting(list, room: room(behind: page, view))
        page.more = list.count > count
        // Every number up to the head was committed before the list was read, so an unfinished list is the only reason
        // to stop short of it.
        guard count > 0 else {
            page.seq = end
            return
        }
        let (seq, last) = (page.seq, list[count - 1].seq)
        // What the device holds is passed over.
        let places = Set(list[..<count].lazy.filter { !$0.isHeld }.map(\.place)).sorted()
        page.seq = page.more ? last + (PlantedBug.pageBoundary.isPlanted ? 1 : 0) : max(last, end)
        if places.isEmpty { return }
        let results = try session.commitPipeline(
            places.map { view.query.reading($0, for: reader, after: seq, through: last, withStamps: withStamps) })
        encode(results, places.map { view.encoders[$0] }, into: &page)
    }

    /// How many of the listed records are fetched: what the page has room for, and what has not too many bytes. What
    /// the device holds is not fetched.
    private func fitting(_ list: [PageQuery.Listed], room: Int) -> Int {
        var bytes = 0
        for row in 0..<min(list.count, room) where !list[row].isHeld {
            bytes += list[row].bytes
            if bytes > Pull.fetchedMaxBytes, row > 0 { return row }
        }
        return min(list.count, room)
    }

    /// Merges the tables' rows by their numbers. Stops early at the size limit.
    ///
    /// - Parameter encoders: of `results`, in the same order.
    func encode(_ results: [Rows], _ encoders: [PageEncoder], into page: inout Page) {
        var parts = zip(results, encoders).compactMap { rows, encoder in
            rows.count == 0 ? nil : Part(rows: rows, encoder: encoder, next: 0, seq: PageQuery.Row.seq(rows, 0))
        }
        var writer = JSONWriter(capacity: 64 << 10)
        if !page.changes.isEmpty { writer.raw(json: page.changes.span) }
        while let best = parts.indices.min(by: { parts[$0].seq < parts[$1].seq }) {
            let isFull = writer.bytes.count > Pull.pageSizeMaxBytes
            if isFull {
                page.seq = min(parts[best].seq - 1, max(page.seq, page.head))
                page.more = true
                break
            }
            let part = parts[best]
            part.encoder.write(part.rows, part.next, of: space, withStamps: withStamps, to: &writer)
            page.count += 1
            if part.next + 1 == part.rows.count {
                parts.remove(at: best)
            } else {
                parts[best].next += 1
                parts[best].seq = PageQuery.Row.seq(part.rows, part.next + 1)
            }
        }
        page.changes = writer.bytes
    }

    /// What is left of a table's rows.
    private struct Part {
        let rows: Rows
        let encoder: PageEncoder
        var next: Int
        /// Of the next.
        var seq: Int64
    }
}

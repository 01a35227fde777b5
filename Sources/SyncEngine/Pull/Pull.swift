import PGStore
import PlantedBugs
import Postgres
import StrictJSON
import WireFormats

/// Reads one page of a pull inside its transaction. `PullRunner` makes the transaction.
struct Pull {
    /// The query and the encoders for everything that the device's version can read.
    let view: View
    let spaces: Spaces
    let app: String
    let space: ID
    /// The space's count of revocations (withdrawals of members' rights) when the caller's rights were read, see
    /// `SpaceState.revocations`. The pull is refused if the space has another count by now; `nil` if the count is not
    /// checked.
    let revocations: Int64?
    /// The cursor that the device sent; it is checked against the state of the space. `nil` if the device sent none.
    let cursor: Cursor?
    let start: Start
    let limit: Int
    /// True if each record is sent with the stamps of all its attributes.
    let withStamps: Bool
    /// The most bytes of values that are fetched for the page; one record may exceed it.
    var bytesMax = Pull.fetchedMaxBytes

    /// The most sequence numbers between the cursor and the head of a small pull. Small pulls of several spaces share a
    /// transaction.
    static let smallMax: Int64 = 64

    /// Returns the same pull with an equal part of the byte limit, for `count` pulls that share a transaction.
    func small(sharedBy count: Int) -> Pull {
        var small = self
        small.bytesMax = Pull.fetchedMaxBytes / count
        return small
    }

    /// The most bytes of records in one page, so that a phone with a bad connection can load it. One record may exceed
    /// it.
    static let pageSizeMaxBytes = 1 << 20
    /// The most bytes of values that are fetched for one page; one record may exceed it. It is larger than the limit of
    /// a page, because for most pages the size of records is only estimated.
    static let fetchedMaxBytes = 4 << 20

    /// The query of a page and the encoders of its records.
    struct View: Sendable {
        let query: PageQuery
        /// The encoders in the order of the query's entities.
        let encoders: [PageEncoder]
    }

    struct Page: Sendable {
        /// The records' JSON, comma-separated.
        var changes: [UInt8] = []
        var count = 0
        /// The sequence number up to which the device has been sent everything when it has received this page.
        var seq: Int64
        /// The sequence number that an unfinished widening has reached; `nil` if none is under way.
        ///
        /// A widening sends an updated app what its older version could not see of earlier records. It ends at `seq`.
        var reached: Int64?
        var more = false
        /// True if the page was read from a window (a range of sequence numbers) that had too few records. The page
        /// must then be completed with a list of the next records.
        var isThin = false
        /// The space's state when the page was read.
        var space: SpaceState
        var head: Int64 { space.head }
        var epoch: ID { space.epoch }
    }

    /// The starting position of a pull.
    enum Start {
        /// The start of an initial sync: the device has no records, so the pull reads from number 0 on. The head that
        /// the pull finds is the head at which the initial sync begins.
        case nothing
        /// A pull of the changes after `seq`.
        ///
        /// - Parameter acknowledged: the numbers above `seq` of the device's own pushes whose answers it has received.
        case after(seq: Int64, acknowledged: NumberRanges)
        /// A widening, after an update of the app: a pull of everything that the older version could not see of the
        /// records numbered above `reached` and up to `seq`. A view of `nil` means that there is nothing to send.
        case widening(View?, reached: Int64, seq: Int64)
    }

    /// The position from which the page is read, with the sequence numbers of records that are left out because the
    /// device has them.
    ///
    /// During a widening (the pull of what an app's older version could not see), no record is left out: the device may
    /// have pushed it in the older version, and then lacks what the newer version sees.
    var reader: PageQuery.Reader {
        switch start {
        case .nothing: PageQuery.Reader(space: space, seq: 0)
        case .after(let seq, let acknowledged):
            PageQuery.Reader(space: space, seq: seq, acknowledged: acknowledged.bounds)
        case .widening(_, _, let seq): PageQuery.Reader(space: space, seq: seq)
        }
    }

    /// Returns an empty page at the cursor's position. Before that, it checks that this server may read the space, and
    /// that the device may go on from its cursor.
    ///
    /// - Parameter rows: the result of `Spaces.readingHead`.
    /// - Throws: `SyncError.outdated`, `rightsChanged`; `badCursor`, `epochChanged`, `cursorExpired`.
    func begin(_ rows: Rows) throws -> Page {
        let state = SpaceState(rows, recordSize: 8)
        try spaces.check(state, revocations: revocations)
        try cursor?.check(against: state, app: app, space: space)
        return Page(seq: reader.seq, space: state)
    }

    /// Reads a page in two steps: a query lists the next records of all tables, and then the listed records are read.
    ///
    /// - Parameter thin: the beginning of the page, if an earlier transaction has read it from a window (a range of
    ///   sequence numbers).
    func list(completing thin: Page? = nil, on session: isolated Session) throws -> Page {
        if case .widening(let widened?, let reached, let seq) = start, reached < seq {
            return try widen(widened, after: reached, session)
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
            // The space has moved on, so a record at the beginning of the page may be sent once more in the rest.
            list = try session.execute(
                view.query.listing(for: reader, after: page.seq, limit: room(behind: page, view) + 1))
        }
        try fill(&page, view, reader, by: list, through: page.head, session)
        return page
    }

    /// Returns the most records that one list (a query of the next records) may add to a page.
    private func room(behind page: Page?, _ view: View) -> Int {
        min(limit - (page?.count ?? 0), view.query.listedMax)
    }

    /// Reads a page of a widening: what the app's older version could not see of the records up to the cursor's
    /// sequence number. Later changes follow on other pages; they are on this page only if the widening has nothing to
    /// send.
    private func widen(_ widened: View, after reached: Int64, _ session: isolated Session) throws -> Page {
        let everybody = PageQuery.Reader(space: space, seq: reached)
        let end = reader.seq
        let results = try session.pipeline([
            spaces.readingHead(space),
            widened.query.listing(
                for: everybody, after: reached, limit: room(behind: nil, widened) + 1, through: end),
        ])
        var page = try begin(results[0])
        page.seq = reached
        try fill(&page, widened, everybody, by: results[1], through: end, session)
        if page.more, !PlantedBug.wideningCutShort.isPlanted { page.reached = page.seq }
        page.seq = end
        page.more = page.more || end < page.head
        if page.count > 0 || end == page.head { return page }
        page.more = false
        let list = try session.execute(
            view.query.listing(for: reader, after: end, limit: room(behind: page, view) + 1))
        try fill(&page, view, reader, by: list, through: page.head, session)
        return page
    }

    /// Reads the listed records into the page, as many as it has room for. If it reads any, it ends the transaction.
    ///
    /// - Parameters:
    ///   - list: the next records after `page.seq`. One record more than the page has room for shows that there is more
    ///     to read.
    ///   - end: the sequence number that the page reaches if all listed records fit in it.
    private func fill(
        _ page: inout Page, _ view: View, _ reader: PageQuery.Reader, by list: Rows, through end: Int64,
        _ session: isolated Session
    ) throws {
        // The server never gave a number beyond the head: a cursor that followed it would not be a cursor of this
        // space.
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
        // Records that the device holds are left out.
        let sources = Set(list[..<count].lazy.filter { !$0.isHeld }.map(\.source)).sorted()
        page.seq = page.more ? last + (PlantedBug.pageBoundary.isPlanted ? 1 : 0) : max(last, end)
        if sources.isEmpty { return }
        let results = try session.commitPipeline(
            sources.map { view.query.reading($0, for: reader, after: seq, through: last, withStamps: withStamps) })
        encode(results, sources.map { view.encoders[$0] }, into: &page)
    }

    /// Returns how many of the listed records, from the first on, belong in the page: as many as it has room for,
    /// within the limit of bytes. Records that the device already has are not fetched, so their bytes do not count.
    private func fitting(_ list: [PageQuery.Listed], room: Int) -> Int {
        var bytes = 0
        for row in 0..<min(list.count, room) where !list[row].isHeld {
            bytes += list[row].bytes
            if bytes > Pull.fetchedMaxBytes, row > 0 { return row }
        }
        return min(list.count, room)
    }

    /// Writes the rows of several tables into the page as JSON, in the order of their sequence numbers, up to the size
    /// limit.
    ///
    /// - Parameters:
    ///   - results: the rows of each table, in the order of their sequence numbers.
    ///   - encoders: the encoders of `results`, in the same order.
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

    /// The rows of one table that are not yet written.
    private struct Part {
        let rows: Rows
        let encoder: PageEncoder
        var next: Int
        /// The sequence number of the next row to write.
        var seq: Int64
    }
}

import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// Pages that are read without a list. No two records share a number, so the next `limit` numbers hold at most `limit`
/// records. They may hold fewer: a record that is rewritten moves to a new number and leaves a gap. Each table is asked
/// for its records under these numbers in the round trip that reads the head, and COMMIT goes along.
extension Pull {
    /// The number of tables up to which each is always read by itself: a list would cost one more statement and one
    /// more round trip.
    private static let tablesAlways = 3
    /// The numbers that each further table needs to make windows cheaper. Reading a table by itself costs PostgreSQL
    /// some 40,000 instructions more than reading it in the list, and listing a record costs 5,000.
    private static let numbersForATable = 8

    /// True if reading windows is cheaper than reading a list.
    ///
    /// - Parameter ahead: the count of numbers after the cursor's, as far as known.
    func suitsWindows(ahead: Int64) -> Bool {
        if case .widening = start { return false }
        let numbers = Int(clamping: min(ahead, Int64(limit)))
        return view.encoders.count <= Pull.tablesAlways + numbers / Pull.numbersForATable
    }

    /// Reads pages of the next `limit` numbers of several spaces; the transaction has already entered the first space.
    /// The pages may be thin: see `Page.isThin`.
    static func readWindows(
        of pulls: [Pull], on session: isolated Session
    ) throws -> [Result<Page, any Error>] {
        let answers = try session.pipeline(
            inParts: pulls.map { [$0.spaces.readingHead($0.space)] + $0.windows(after: $0.reader.seq) },
            entering: { $0 == 0 ? nil : Spaces.entering(pulls[$0].space) }, thenCommit: true)
        return zip(pulls, answers).map { pull, answers in
            Result {
                pull.fill(try pull.begin(answers[0]), with: Array(answers.dropFirst()), after: pull.reader.seq)
            }
        }
    }

    /// Reads a page of windows that begin where numbers are in use again.
    ///
    /// - Parameter gap: a number; from the cursor's number up to it, there is nothing for the reader.
    func readWindows(behind gap: Int64, on session: isolated Session) throws -> Page {
        let results = try session.pipeline([
            spaces.readingHead(space), view.query.listing(for: reader, after: gap, limit: 1),
        ])
        var page = try begin(results[0])
        guard let next = PageQuery.Listed.all(results[1]).first else {
            page.seq = page.head
            return page
        }
        let start = next.seq - 1
        return fill(page, with: try session.commitPipeline(windows(after: start)), after: start)
    }

    private func windows(after seq: Int64) -> [Command] {
        view.encoders.indices.map {
            view.query.readingWindow(
                $0, for: reader, after: seq, limit: limit, bytesMax: bytesMax, withStamps: withStamps)
        }
    }

    /// - Parameter start: the number after which the windows begin.
    private func fill(_ page: consuming Page, with windows: [Rows], after start: Int64) -> Page {
        let end = PageQuery.windowEnd(after: start, limit: limit, bytesMax: bytesMax, in: page.space)
        page.more = end < page.head
        page.seq = page.more ? end + (PlantedBug.pageBoundary.isPlanted ? 1 : 0) : page.head
        encode(windows, view.encoders, into: &page)
        // Many records have moved on, or the device holds them already. That must not make the pages more numerous. A
        // page that reached its size limit ends before its window does.
        page.isThin = page.more && page.seq >= end && page.count < (limit + 1) / 2
        if page.isThin, PlantedBug.thinPageLast.isPlanted {
            (page.isThin, page.more, page.seq) = (false, false, page.head)
        }
        return page
    }
}

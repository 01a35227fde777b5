import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// Pages without a list. Numbers are given without gaps and no two records have the same, so the next `limit` numbers
/// hold at most `limit` records; and a record that is rewritten moves on to a new number. Each table is asked what it
/// has under these numbers, in the round trip that reads the head, and COMMIT goes along.
extension Pull {
    /// So few tables are always asked each by itself: the list would be a statement and a round trip more.
    private static let tablesAlways = 3
    /// To ask a table by itself costs PostgreSQL some 40,000 instructions more than to ask it in the list, and to list
    /// a record costs it 5,000. So many numbers must be in question for each table more.
    private static let numbersForATable = 8

    /// Whether windows are cheaper than the list.
    ///
    /// - Parameter ahead: how many numbers come after the cursor's, as far as is known.
    func suitsWindows(ahead: Int64) -> Bool {
        if case .widening = start { return false }
        let numbers = Int(clamping: min(ahead, Int64(limit)))
        return view.encoders.count <= Pull.tablesAlways + numbers / Pull.numbersForATable
    }

    /// Pages of the next `limit` numbers of spaces, the first of which the transaction has entered. They may be thin:
    /// see `Page.isThin`.
    static func readWindows(
        of pulls: [Pull], on session: isolated Session
    ) throws -> [Result<Page, any Error>] {
        let parts = pulls.enumerated().map { place, pull in
            (
                entering: place == 0 ? nil : Spaces.entering(pull.space),
                commands: [pull.spaces.readingHead(pull.space)] + pull.windows(after: pull.reader.seq)
            )
        }
        return zip(pulls, try session.pipeline(parts, thenCommit: true)).map { pull, answers in
            Result {
                pull.fill(try pull.begin(answers[0]), with: Array(answers.dropFirst()), after: pull.reader.seq)
            }
        }
    }

    /// The same from where numbers are in use again.
    ///
    /// - Parameter gap: a number from which on, backwards to the cursor's, there is nothing for the reader.
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

    /// - Parameter start: the number behind which the windows begin.
    private func fill(_ page: consuming Page, with windows: [Rows], after start: Int64) -> Page {
        let end = PageQuery.windowEnd(after: start, limit: limit, bytesMax: bytesMax, in: page.space)
        page.more = end < page.head
        page.seq = page.more ? end + (PlantedBug.pageBoundary.isPlanted ? 1 : 0) : page.head
        encode(windows, view.encoders, into: &page)
        // Many records have moved on, or are held by the device: pages must not become many for that. One that is full
        // by its size ends before its window does.
        page.isThin = page.more && page.seq >= end && page.count < (limit + 1) / 2
        if page.isThin, PlantedBug.thinPageLast.isPlanted {
            (page.isThin, page.more, page.seq) = (false, false, page.head)
        }
        return page
    }
}

import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// Pages that are read as a window (a range of sequence numbers), without first listing the next records. No two
/// records of a space have the same number, so a window of `limit` numbers contains at most `limit` records. It may
/// contain fewer: a record that is written again gets a new number and leaves a gap. One round trip reads the head of
/// the space and each table's records with these numbers, and also sends COMMIT.
extension Pull {
    /// The number of tables up to which every table is read separately. To list the next records first would cost one
    /// more statement and one more round trip.
    private static let tablesAlways = 3
    /// The count of sequence numbers that a window needs for each table beyond `tablesAlways`. In smaller windows, it
    /// is cheaper to list the next records first than to read all tables separately.
    ///
    /// Reading a table separately costs PostgreSQL some 40,000 instructions more than reading it as part of the list.
    /// Listing a record costs 5,000.
    private static let numbersForATable = 8

    /// Returns true if reading a window (a range of sequence numbers) from each table is cheaper than reading a list of
    /// the next records.
    ///
    /// - Parameter ahead: the count of sequence numbers from the cursor to the head, as far as known.
    func suitsWindows(ahead: Int64) -> Bool {
        if case .widening = start { return false }
        let numbers = Int(clamping: min(ahead, Int64(limit)))
        return view.encoders.count <= Pull.tablesAlways + numbers / Pull.numbersForATable
    }

    /// Reads one page for each pull, all in one transaction. A page is read as a window: the records with the next
    /// `limit` sequence numbers. It may have few records, see `Page.isThin`.
    ///
    /// The transaction has already entered the space of the first pull, so that row-level security shows its rows.
    ///
    /// - Returns: the page or the error of each pull, in the order of `pulls`.
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

    /// Reads a page as a window (a range of sequence numbers) that begins at the next record after `gap`.
    ///
    /// - Parameter gap: the sequence number up to which the space has nothing for the device.
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

    /// Adds the records of a window (a range of sequence numbers) to a page.
    ///
    /// - Parameters:
    ///   - windows: the records in the window, table by table.
    ///   - start: the sequence number after which the window begins.
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

import PGStore
import Postgres
import WireFormats

extension ShelvesScene {
    /// A command of every kind that serving runs, about what is named.
    func commands(_ names: ShelvesNames) throws -> [PlannedCommand] {
        reading(names) + writing(names) + following(names) + spaces(names) + remembering(names)
            + (try paging(names)) + collecting(names) + rest(names)
    }

    private func reading(_ names: ShelvesNames) -> [PlannedCommand] {
        let (space, books) = (names.space, names.books)
        let count = PlannedCommand.Bound.records(books.count)
        return [
            PlannedCommand("RecordTable+Reading.selecting", table.selecting(books, in: space), count),
            PlannedCommand("RecordTable+Reading.selecting", table.selecting([books[0]], in: space), .records(1)),
            PlannedCommand("RecordTable+Reading.looking", table.looking(for: books[0], in: space), .records(1)),
            PlannedCommand("RecordTable+Reading.selectingLiveness", table.selectingLiveness(books, in: space), count),
            PlannedCommand(
                "RecordTable+Reading.selectingHolders",
                table.selectingHolders(of: names.isbns.map { Value.string($0) }, in: 0, space: space), count),
            PlannedCommand(
                "RecordTable+Sizes.selectingIfSmall",
                table.selectingIfSmall(books, in: space, bytesMax: 1 << 30), count),
            PlannedCommand("RecordTable+Sizes.selecting", table.selecting(books, in: space, needed: 0), count),
            PlannedCommand("RecordTable+Sizes.measuring", table.measuring(books, in: space, needed: 1), count),
            PlannedCommand(
                "RecordTable+Sizes.measuringLargest", table.measuringLargest(in: space),
                .whole(names.size, because: "Once for a space that came before records were measured.")),
            PlannedCommand(
                "RecordTable+Sizes.countingLiving", table.countingLiving(in: space),
                .whole(names.size, because: "By the collection, where what a space holds is not known.")),
            PlannedCommand("RecordTable+Sizes.selectingReferences", table.selectingReferences(books, in: space), count),
        ]
    }

    private func writing(_ names: ShelvesNames) -> [PlannedCommand] {
        let (space, count) = (names.space, PlannedCommand.Bound.records(names.books.count))
        let known = names.books.map { state($0) }
        let fresh = names.books.map { _ in state(.random()) }
        let notFresh = fresh.enumerated().map { index, state in
            var state = state
            state.dangling = UInt64(index & 1)
            return state
        }
        func insert(_ states: [RecordState]) -> PlannedCommand {
            PlannedCommand("RecordTable+Writing.inserting", table.inserting(states, in: space), count)
        }
        func update(_ states: [RecordState], keeping kept: [UInt64] = []) -> PlannedCommand {
            PlannedCommand(
                "RecordTable+Writing.updating", table.updating(states, keeping: kept, in: space), count)
        }
        return [
            insert(fresh), insert(notFresh), insert([fresh[0]]), update(known), update([known[0]]),
            update(known, keeping: known.map { _ in 1 }),
        ]
    }

    private func following(_ names: ShelvesNames) -> [PlannedCommand] {
        let (space, shelves) = (names.space, names.shelves)
        // A shelf has two books.
        let count = PlannedCommand.Bound.records(3 * shelves.count)
        func following(_ function: String, _ command: Command) -> PlannedCommand {
            PlannedCommand("RecordTable+Writing.\(function)", command, count)
        }
        return [
            following("burying", table.burying(names.books, in: space, head: 1 << 40)),
            following("losing", table.losing(shelves, by: 0, in: space, head: 1 << 40)),
            following(
                "countingLosses", table.countingLosses(of: shelves, by: 0, in: space, head: 1 << 40)),
            following("regaining", table.regaining(shelves, by: 0, in: space, head: 1 << 40)),
            following("fallen", table.fallen(with: shelves, by: 0, in: space)),
            following("livingReferrers", table.livingReferrers(of: shelves, by: 0, in: space)),
            following("deadReferrers", table.deadReferrers(of: shelves, by: 0, in: space)),
        ]
    }

    private func spaces(_ names: ShelvesNames) -> [PlannedCommand] {
        let (spaces, space) = (Spaces(app: plan.app), names.space)
        return [
            PlannedCommand("Spaces.entering", Spaces.entering(space), .records(1)),
            PlannedCommand("Spaces.enteringToRead", Spaces.enteringToRead(space), .records(1)),
            PlannedCommand("Spaces.claiming", spaces.claiming(1, created: 1, in: space), .records(1)),
            PlannedCommand("Spaces.creating", spaces.creating(space), .records(1)),
            PlannedCommand("Spaces.readingHead", spaces.readingHead(space), .records(1)),
            PlannedCommand(
                "Spaces.readingHeads", spaces.readingHeads([space] + (1..<10).map { _ in .random() }),
                .records(10)),
            PlannedCommand(
                "Spaces.advancing", spaces.advancing(space, to: 1 << 40, recordSize: 1, growth: Spaces.Growth()),
                .records(1)),
            PlannedCommand("SpaceHolding.readingHolding", spaces.readingHolding(space), .records(1)),
            PlannedCommand("SpaceHolding.allowing", spaces.allowing(space, records: 1, bytes: nil), .records(1)),
            PlannedCommand("SpaceHolding.counted", spaces.counted(space, records: 1, bytes: 1), .records(1)),
        ]
    }

    private func remembering(_ names: ShelvesNames) -> [PlannedCommand] {
        let (spaces, space, device) = (Spaces(app: plan.app), names.space, ID.random())
        let increments = names.books.map {
            Spaces.Increment(
                entity: "book", attribute: "title", record: $0, device: device, stamp: Stamp(unchecked: 1))
        }
        let judged = names.books.map {
            Spaces.Judged(entity: "book", record: $0, stamp: Stamp(unchecked: 1), refusal: nil)
        }
        let (first, last) = (Stamp(unchecked: 1), Stamp(unchecked: 2))
        let clamps = PlannedCommand.Bound.whole(
            ShelvesScene.clamps, because: "They are counted, and a space has at most `Spaces.clampsMax`.")
        return [
            PlannedCommand(
                "Spaces.recallingClamps",
                spaces.recallingClamps(from: first, through: last, device: device, in: space), .records(2)),
            PlannedCommand(
                "Spaces.makingRoom", spaces.makingRoom(forClamps: 5, of: device, in: space), clamps),
            PlannedCommand(
                "Spaces.clamping",
                spaces.clamping([1, 2], to: [3, 4], from: 5, device: device, in: space), .records(2)),
            PlannedCommand(
                "Spaces+Increments.recallingIncrements",
                spaces.recallingIncrements(
                    of: Set(names.books), from: first, through: last, by: [device], in: space),
                .records(names.books.count)),
            PlannedCommand(
                "Spaces+Increments.remembering", spaces.remembering(increments, at: last, in: space),
                .records(increments.count)),
            PlannedCommand(
                "Spaces+Increments.countingIncrements", spaces.countingIncrements(space, before: first),
                .whole(ShelvesScene.increments, because: "`gc --dry-run` says how many.")),
            PlannedCommand(
                "NameTable.reading", NameTable(app: plan.app).reading(names.books, in: space),
                .records(names.books.count)),
            PlannedCommand(
                "NameTable.adding",
                NameTable(app: plan.app).adding(
                    names.books.map { NameTable.Name(key: $0, table: "book", text: "title") }, in: space),
                .records(names.books.count)),
            PlannedCommand(
                "Spaces+Judged.recallingJudged",
                spaces.recallingJudged(of: Set(names.books), device: device, in: space), .records(names.books.count)),
            PlannedCommand(
                "Spaces+Judged.remembering",
                spaces.remembering(judged: judged, of: device, at: last, in: space), .records(4 * judged.count)),
            PlannedCommand(
                "Spaces+Judged.forgetting",
                spaces.forgetting(judged: judged, of: device, in: space), .records(judged.count)),
            PlannedCommand(
                "Spaces+Judged.forgettingJudged", spaces.forgettingJudged(space, before: last, limit: 10),
                .records(10)),
            PlannedCommand(
                "Spaces+Judged.countingJudged", spaces.countingJudged(space, before: first), .records(1)),
            PlannedCommand(
                "Spaces+Deletions.recallingDeleted", spaces.recallingDeleted(by: device, in: space), .records(1)),
            PlannedCommand(
                "Spaces+Deletions.remembering",
                spaces.remembering(
                    Spaces.Deleted(count: 1, at: last), by: device, forgettingBefore: first, in: space),
                .whole(Spaces.deletingMax, because: "A space remembers no more devices (`Spaces.deletingMax`).")),
        ]
    }

    private func paging(_ names: ShelvesNames) throws -> [PlannedCommand] {
        let newest = PageQuery(plan.projections[1].compactMap { $0 }, tables: tables, app: plan.app)
        let widened = PageQuery(plan.widening(from: 0, to: 1), tables: tables, app: plan.app)
        let reader = PageQuery.Reader(space: names.space, seq: 100, acknowledged: [200, 300])
        let (limit, seq) = (100, reader.seq)
        var commands = [
            PlannedCommand(
                "PageQuery.listing", newest.listing(for: reader, after: seq, limit: limit), .records(2 * limit)),
            PlannedCommand(
                "PageQuery.listing", widened.listing(for: reader, after: seq, limit: limit, through: 1 << 40),
                .whole(names.size, because: "What an update of the app widens may be the last of the space.")),
        ]
        for (query, index) in [(newest, 0), (newest, 1), (widened, 0)] {
            for withStamps in [false, true] {
                commands.append(
                    PlannedCommand(
                        "PageQuery.reading",
                        query.reading(
                            index, for: reader, after: seq, through: seq + Int64(limit), withStamps: withStamps),
                        .records(limit)))
                commands.append(
                    PlannedCommand(
                        "PageQuery.readingWindow",
                        query.readingWindow(
                            index, for: reader, after: seq, limit: limit, bytesMax: 1 << 20, withStamps: withStamps),
                        .records(limit)))
            }
        }
        return commands
    }
}

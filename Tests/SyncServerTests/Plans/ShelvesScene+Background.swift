import PGStore
import Postgres
import WireFormats

// What is not of a push or a pull, and what fills a space.
extension ShelvesScene {
    func collecting(_ names: ShelvesNames) -> [PlannedCommand] {
        let (spaces, space) = (Spaces(app: plan.app), names.space)
        let time = Timestamp(microseconds: 1_000_000_000_000_000)
        func collecting(_ function: String, _ command: Command, _ count: Int = 1) -> PlannedCommand {
            PlannedCommand("Spaces+Collecting.\(function)", command, .records(count))
        }
        return tombstones(names) + [
            collecting("lockingToCollect", spaces.lockingToCollect(space)),
            collecting("measured", spaces.measured(space, recordSize: 1)),
            collecting("readingCollected", spaces.readingCollected(space)),
            collecting("latestMark", spaces.latestMark(space, through: time)),
            collecting("latestMark", spaces.latestMark(space)),
            collecting("marking", spaces.marking(space, head: 1, at: time)),
            collecting("forgettingMarks", spaces.forgettingMarks(space, before: time)),
            collecting("sweeping", spaces.sweeping(space, horizon: 1, swept: 1)),
            collecting("cleared", spaces.cleared(space, through: 1)),
            PlannedCommand(
                "Spaces+Collecting.forgetting",
                spaces.forgetting(space, before: Stamp(unchecked: 11), limit: 100),
                .whole(
                    ShelvesScene.clamps + ShelvesScene.increments,
                    because: "A step of the collection joins what it forgets with what the space has, in one pass.")),
            PlannedCommand(
                "Spaces+Collecting.countingClamps", spaces.countingClamps(space, before: Stamp(unchecked: 11)),
                .whole(ShelvesScene.clamps, because: "`gc --dry-run` says how many, and there is no index by time.")),
            collecting("listing", spaces.listing(after: space, limit: 10), 10),
        ]
    }

    /// Old are some dozen records; see `fill`.
    private func tombstones(_ names: ShelvesNames) -> [PlannedCommand] {
        let (statements, space) = (Tombstones(plan.hub, tables: tables), names.space)
        let (last, old) = (ShelvesNames.oldSeq, PlannedCommand.Bound.records(Int(ShelvesNames.oldSeq)))
        func tombstones(_ function: String, _ command: Command) -> PlannedCommand {
            PlannedCommand("Tombstones.\(function)", command, old)
        }
        return statements.links.flatMap { link in
            [
                PlannedCommand(
                    "Tombstones.childrenOfYoung", statements.childrenOfYoung(link, in: space, through: last),
                    .whole(names.size, because: "What was deleted since the mark is among what was edited since.")),
                tombstones(
                    "children", statements.children(of: names.shelves, link, in: space, through: last)),
            ]
        }
            + tables.indices.flatMap { index in
                [
                    tombstones("removing", statements.removing(index, in: space, through: last, but: [], limit: 100)),
                    tombstones("counting", statements.counting(index, in: space, through: last, but: [])),
                    tombstones(
                        "clearing",
                        statements.clearing(
                            index, in: space, after: 0, through: last, but: [], limit: 100, deletedBy: .never,
                            to: tables[index].entity.columns.map { $0.isNullable ? .null : .string("") })),
                    tombstones(
                        "countingClearable", statements.countingClearable(index, in: space, through: last, but: [])),
                ]
            }
    }

    func rest(_ names: ShelvesNames) -> [PlannedCommand] {
        let (quarantine, space) = (QuarantineTable(app: plan.app), names.space)
        let held = PlannedCommand.Bound.whole(
            ShelvesScene.held, because: "What a space may hold has a limit (`SyncError.quarantineFull`).")
        let census = PlannedCommand.Bound.whole(
            ShelvesScene.devices, because: "There is no index by time, and a collection asks once for an app.")
        let content = QuarantinedChange.Content(
            device: .random(), table: "book", entity: "Book", record: .random(), operation: "create",
            sent: Stamp(unchecked: 1), stamp: Stamp(unchecked: 1), mode: "patch", version: "1.0.0",
            fingerprint: "", bytes: [1], reading: nil)
        let reason = QuarantinedChange.Reason(code: "lens", detail: "")
        let now = Timestamp(microseconds: 0)
        let sighting = CensusTable.Sighting(
            app: plan.app, device: .random(), version: "1.0.0", first: now, last: now, outboxAge: nil,
            subject: "anna")
        return [
            PlannedCommand("QuarantineTable.holding", quarantine.holding(content, for: reason, in: space), .records(1)),
            PlannedCommand("QuarantineTable.measuring", quarantine.measuring(space), held),
            PlannedCommand(
                "QuarantineTable.heldCreations", quarantine.heldCreations(of: Set(names.books), in: space), held),
            PlannedCommand("QuarantineTable.keeping", quarantine.keeping(1, for: reason, in: space), held),
            PlannedCommand("QuarantineTable.removing", quarantine.removing([1, 2], in: space), held),
            PlannedCommand("QuarantineTable.reading", quarantine.reading(space), held),
            PlannedCommand(
                "QuarantineTable.listing", quarantine.listing(),
                .whole(ShelvesScene.held, because: "An operator asks what is held in any space.")),
            PlannedCommand(
                "LivingCount.counting", LivingCount(tables).counting(in: space, upTo: 100),
                .records(100 + Int(ShelvesNames.oldSeq))),
            PlannedCommand(
                "CensusTable.seeing", CensusTable.seeing([sighting], at: now, unmoved: .seconds(1)), .records(1)),
            PlannedCommand("CensusTable.forgetting", CensusTable.forgetting(app: plan.app, limit: 10), census),
            PlannedCommand("CensusTable.countingForgettable", CensusTable.countingForgettable(app: plan.app), census),
        ]
    }

    func state(_ id: ID) -> RecordState {
        RecordState(
            id: id, values: table.entity.columns.map { $0.isNullable ? .null : .string("") },
            stamps: StampSet(units: table.entity.units.count), createdStamp: .never, seq: 1, isAlive: true)
    }

    static let clamps = 1_000
    static let increments = 5_000
    static let held = 200
    static let devices = 2_000

    /// Fills spaces, and says what is in one of them. In each a shelf has two books; the first four shelves and five
    /// books were deleted long ago, with numbers below `ShelvesNames.oldSeq`, and three books went with a shelf. What
    /// a space remembers besides is in one.
    func fill(spaces count: Int, shelves: Int) async throws -> ShelvesNames {
        let space = ID.random()
        try await administer(
            """
            CREATE TABLE public.filled AS
            SELECT '\(space)'::uuid AS space UNION ALL SELECT gen_random_uuid() FROM generate_series(2, \(count))
            """,
            "INSERT INTO sync.space (app, space_id, head, record_size) SELECT 'shelves', space, 100000, 64 FROM filled",
            """
            INSERT INTO shelves.shelf (space_id, id, seq, alive, stamp, born, died, name)
            SELECT space, md5(space::text || 'shelf' || number)::uuid,
                CASE WHEN number <= 4 THEN number ELSE number + 20 END, number > 4, 1, 1,
                CASE WHEN number <= 4 THEN 2 ELSE 0 END, 'name'
            FROM filled, generate_series(1, \(shelves)) AS number
            """,
            """
            INSERT INTO shelves.book (space_id, id, seq, alive, stamp, born, died, title, isbn, shelf)
            SELECT space, md5(space::text || 'book' || number)::uuid,
                CASE WHEN number <= 8 THEN 4 + number ELSE 20 + \(shelves) + number END, number > 8, 1, 1,
                CASE WHEN number <= 5 THEN 2 ELSE 0 END, 'title', 'isbn' || number,
                md5(space::text || 'shelf' || (number + 1) / 2)::uuid
            FROM filled, generate_series(1, \(2 * shelves)) AS number
            """,
            """
            INSERT INTO sync.name (space_id, key, app, entity, text)
            SELECT space_id, id, 'shelves', 'book', 'text of ' || id FROM shelves.book WHERE space_id = '\(space)'
            """,
            """
            INSERT INTO sync.clamp (space_id, app, device, sent, given)
            SELECT '\(space)', 'shelves', gen_random_uuid(), number, number
            FROM generate_series(1, \(ShelvesScene.clamps)) AS number
            """,
            """
            INSERT INTO sync.increment (space_id, app, id, device, stamp, entity, attribute, applied)
            SELECT '\(space)', 'shelves', gen_random_uuid(), gen_random_uuid(), number, 'book', 'title', number
            FROM generate_series(1, \(ShelvesScene.increments)) AS number
            """,
            """
            INSERT INTO sync.quarantine (space_id, app, table_name, entity, record, operation, stamp, sent, mode,
                version, fingerprint, change, code, detail)
            SELECT '\(space)', 'shelves', 'book', 'Book', gen_random_uuid(), 'create', number, number, 'patch',
                '1.0.0', '', '\\x01', 'lens', ''
            FROM generate_series(1, \(ShelvesScene.held)) AS number
            """,
            """
            INSERT INTO sync.census_device (app, device, version, first_seen, last_seen)
            SELECT 'shelves', gen_random_uuid(), '1.0.0', now(), now()
            FROM generate_series(1, \(ShelvesScene.devices))
            """)
        let living = "WHERE space_id = '\(space)' AND alive ORDER BY seq LIMIT"
        return ShelvesNames(
            space: space, books: try await ids("SELECT id FROM shelves.book \(living) 10"),
            shelves: try await ids("SELECT id FROM shelves.shelf \(living) 5"),
            isbns: (9..<19).map { "isbn\($0)" }, size: 3 * shelves, spaces: count)
    }
}

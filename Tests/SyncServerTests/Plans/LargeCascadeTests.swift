import SyncTestSupport
import Testing
import WireFormats

@testable import PGStore
@testable import Postgres

/// Tests that a cascade's cost grows with its size, not with the square: also where PostgreSQL planned the
/// statements when there was nothing, as it has in a session that served a few deletions of a new database.
@Suite struct LargeCascadeTests {
    private static let books = 2_000

    @Test func aLargeCascadeHandlesEachRecordAFewTimes() async throws {
        try await ShelvesScene.with { scene in
            let session = try await scene.session()
            for commands in Self.cascades(scene.table, shelf: .random(), books: [.random()], .random()) {
                try await session.warm([commands], in: .random())
            }
            let (space, shelf, books) = try await filled(scene)
            for command in Self.cascades(scene.table, shelf: shelf, books: books, space) {
                let reading = try await session.reading(of: [command], in: space)
                #expect(reading.rows >= Self.books && reading.rows <= 16 * Self.books, "\(reading)")
            }
            await session.close()
        }
    }

    /// One record that goes with another is found by what it refers to, however many more there are.
    @Test func aSmallCascadeReadsNothingElse() async throws {
        try await ShelvesScene.with { scene in
            let session = try await scene.session()
            let (space, _, books) = try await filled(scene)
            for command in Self.cascades(scene.table, shelf: .random(), books: [books[0]], space) {
                let reading = try await session.reading(of: [command], in: space)
                #expect(reading.rows <= 30, "\(reading)")
            }
            await session.close()
        }
    }

    /// The check can fail: this is what a cascade was, and what PostgreSQL by itself makes of it.
    @Test func aJoinOfTheTableWithItselfIsFound() async throws {
        try await ShelvesScene.with { scene in
            let joining = Statement(
                """
                WITH hit AS (
                    SELECT id, $3 + row_number() OVER (ORDER BY id) AS seq
                    FROM shelves.book WHERE space_id = (SELECT $1::uuid) AND shelf = ANY ($2)
                )
                UPDATE shelves.book AS r SET alive = false, seq = hit.seq FROM hit
                WHERE r.space_id = (SELECT $1::uuid) AND r.id = hit.id
                """)
            func command(_ shelf: ID, _ space: ID) -> Command {
                Command(joining, [.id(space), .ids([shelf]), .int(10_000)])
            }
            // It reads the table once for each record, which takes a busy machine long.
            var settings = SessionSettings.patient
            settings.plansOnce = false
            let session = try await scene.session(settings)
            try await session.warm([command(.random(), .random())], in: .random())
            let (space, shelf, _) = try await filled(scene)
            let reading = try await session.reading(of: [command(shelf, space)], in: space)
            #expect(reading.rows > 100 * Self.books, "\(reading)")
            await session.close()
        }
    }

    /// The commands that delete and restore a shelf with all its books, and that delete the books.
    private static func cascades(_ table: RecordTable, shelf: ID, books: [ID], _ space: ID) -> [Command] {
        [
            table.losing([shelf], by: 0, in: space, head: 10_000),
            table.countingLosses(of: [shelf], by: 0, in: space, head: 10_000),
            table.regaining([shelf], by: 0, in: space, head: 10_000),
            table.burying(books, in: space, head: 10_000),
        ]
    }

    /// A space with one shelf and books that dangle, so that both a death and a return concern them.
    private func filled(_ scene: ShelvesScene) async throws -> (space: ID, shelf: ID, books: [ID]) {
        let (space, shelf) = (ID.random(), ID.random())
        try await scene.administer(
            """
            INSERT INTO shelves.book (space_id, id, seq, alive, stamp, born, died, dangling, title, shelf)
            SELECT '\(space)', gen_random_uuid(), number, true, 1, 1, 0, 1, 'title', '\(shelf)'
            FROM generate_series(1, \(Self.books)) AS number
            """)
        let books = try await scene.ids("SELECT id FROM shelves.book WHERE space_id = '\(space)'")
        return (space, shelf, books)
    }
}

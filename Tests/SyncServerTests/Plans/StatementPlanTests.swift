import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import PGStore
@testable import Postgres

/// Tests that a statement's cost depends only on what it names: whether the session is new or planned it when the
/// database was empty, whether PostgreSQL has looked at the tables, and whether they hold one large space or many small
/// ones, it never handles all that a space has for what concerns a few records of it.
///
/// Each is explained as a session has it prepared that is the serving role's, behind row-level security.
@Suite struct StatementPlanTests {
    /// As many records either way.
    @Test(arguments: [(spaces: 1, shelves: 7_000), (spaces: 2_000, shelves: 5)])
    func aStatementHandlesWhatItNames(spaces: Int, shelves: Int) async throws {
        try await ShelvesScene.with { scene in
            let warm = try await scene.session()
            let nothing = ShelvesNames.unknown(10)
            for command in try scene.commands(nothing) {
                try await warm.warm(command.commands, in: nothing.space)
            }
            let names = try await scene.fill(spaces: spaces, shelves: shelves)
            let commands = try scene.commands(names)
            try await expectBounds(commands, names, on: warm, "planned while empty")
            let cold = try await scene.session()
            try await expectBounds(commands, names, on: cold, "not analyzed")
            try await scene.administer("ANALYZE")
            for command in commands { try await cold.warm(command.commands, in: names.space) }
            try await expectBounds(commands, names, on: cold, "analyzed")
            let new = try await scene.session()
            try await expectBounds(commands, names, on: new, "new and analyzed")
            for session in [warm, cold, new] { await session.close() }
        }
    }

    /// As after a release that brings a table: PostgreSQL looks at it while it has a few rows, and they become many
    /// before it looks again.
    @Test func aStatementThatWasPlannedForFewRowsIsAsGoodForMany() async throws {
        try await ShelvesScene.with { scene in
            let few = try await scene.fill(spaces: 3, shelves: 10)
            try await scene.administer("VACUUM ANALYZE", "DROP TABLE public.filled")
            let session = try await scene.session()
            for command in try scene.commands(few) { try await session.warm(command.commands, in: few.space) }
            let names = try await scene.fill(spaces: 1, shelves: 7_000)
            try await expectBounds(try scene.commands(names), names, on: session, "planned for few rows")
            await session.close()
        }
    }

    private func expectBounds(
        _ commands: [PlannedCommand], _ names: ShelvesNames, on session: Session, _ situation: String
    ) async throws {
        for command in commands {
            let reading = try await session.reading(of: command.commands, in: names.space)
            #expect(
                reading.rows <= command.bound.rowsMax,
                "\(command.name), \(situation): \(reading.rows) rows\n\(reading.plans)"
            )
        }
    }

    /// The check can fail: no index begins with a title.
    @Test func aStatementWithoutAnIndexIsFound() async throws {
        try await ShelvesScene.with { scene in
            let names = try await scene.fill(spaces: 1, shelves: 7_000)
            let session = try await scene.session()
            let searching = Statement("SELECT id FROM shelves.book WHERE space_id = $1 AND title = $2")
            let command = Command(searching, [.id(names.space), .text("")])
            let reading = try await session.reading(of: [command], in: names.space)
            #expect(reading.rows > PlannedCommand.Bound.records(10).rowsMax)
            await session.close()
        }
    }

    /// Every function of the store that makes a command is tried, and every statement of the types that keep theirs.
    @Test func noStatementIsLeftOut() async throws {
        try await ShelvesScene.with { scene in
            let commands = try scene.commands(.unknown(10))
            let functions = try Self.functions()
            #expect(functions.count > 50)
            #expect(functions.subtracting(commands.map(\.name)) == Self.ofOthers)
            let tried = Set(commands.flatMap(\.commands).map(\.statement.sql))
            let ofTables = Set(Self.statements(in: scene.tables))
            let others = Self.statements(in: kept(scene)).filter { !ofTables.contains($0) }
            #expect(others.count > 15)
            for statement in Self.statements(in: scene.table) + others {
                #expect(tried.contains(statement.sql), "\(statement.sql)")
            }
            // The check can fail.
            #expect(Self.statements(in: scene.tables).contains { !tried.contains($0.sql) })
        }
    }

    /// The holders of statements besides the tables.
    private func kept(_ scene: ShelvesScene) -> [Any] {
        [
            LivingCount(scene.tables),
            Tombstones(scene.plan.hub, tables: scene.tables),
            PageQuery(scene.plan.projections[1].compactMap { $0 }, tables: scene.tables, app: scene.plan.app),
            PageQuery(scene.plan.widening(from: 0, to: 1), tables: scene.tables, app: scene.plan.app),
        ]
    }

    /// Statements that serving does not run: the migrator reads the census, a session is opened once, others read
    /// nothing but their parameters. And statements that a server runs once a minute, or when it cannot write, of
    /// tables with one row per server.
    private static let ofOthers: Set = [
        "CensusTable.usage", "CensusTable.use", "CensusTable.evidence", "CensusTable.registration",
        "CensusTable.counting",
        "CensusTable.missing", "CensusTable.ending", "Spaces.opening",
        "RecordTable+Writing.withoutNestedLoops",
    ]

    /// Each `File.function` that returns a command or several.
    private static func functions() throws -> Set<String> {
        let folder = Repository.root + "/Sources/PGStore/Records"
        var found: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            for match in text.matches(of: /func (\w+)\((?:(?!func )[\s\S])*?\) -> ([^\n{]*)\{/) {
                let returned = match.output.2.split(separator: " ").joined()
                guard returned == "Command" || returned == "[Command]" else { continue }
                found.insert("\(file.dropLast(6)).\(match.output.1)")
            }
        }
        return found
    }

    /// The statements that a value keeps, at any depth.
    private static func statements(in value: Any) -> [Statement] {
        if let statement = value as? Statement { return [statement] }
        return Mirror(reflecting: value).children.flatMap { statements(in: $0.value) }
    }
}

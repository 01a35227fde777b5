import Foundation
import Operations
import StrictJSON
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// The files of one app below `Fixtures`, and spaces that they are imported into.
struct LegacyFiles {
    let plan: Plan
    private let folder: String

    init(of app: any SchemaMigrationPlan.Type, in folder: String) throws {
        plan = try Plan(app)
        self.folder = folder
    }

    func bytes(_ file: String) throws -> [UInt8] {
        let url = try #require(
            Bundle.module.url(forResource: file, withExtension: nil, subdirectory: "Fixtures/\(folder)"))
        return Array(try Data(contentsOf: url))
    }

    func content(_ file: String) throws -> ImportContent {
        try ImportContent(bytes(file), plan: plan, stated: LegacyFiles.time(of: file))
    }

    func content(of text: String, at time: Timestamp? = nil) throws -> ImportContent {
        try ImportContent(Array(text.utf8), plan: plan, stated: time)
    }

    /// When a file was written: the date in its name, or else later than those.
    private static func time(of file: String) throws -> Timestamp {
        let date = file.firstMatch(of: /\d{4}-\d{2}-\d{2}/).map { String($0.output) } ?? "2026-01-13"
        return try Timestamp("\(date)T12:00:00Z")
    }

    /// Lends an engine over a database of its own.
    func withEngine<Value>(_ body: (SyncEngine) async throws -> Value) async throws -> Value {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await database.withEngine(plan, body)
        }
    }

    @discardableResult
    func bring(_ names: [String], into space: ID, _ engine: SyncEngine) async throws -> [ImportReport] {
        var reports: [ImportReport] = []
        for name in names { reports.append(try await bring(content(name), into: space, engine)) }
        return reports
    }

    @discardableResult
    func bring(_ content: ImportContent, into space: ID, _ engine: SyncEngine) async throws -> ImportReport {
        try await SpaceImport(engine: engine, space: space).run(content.items, version: content.version)
    }

    /// The records of a space, in the newest version where none is given.
    func records(_ engine: SyncEngine, _ space: ID, in version: Int? = nil) async throws -> [JSONValue] {
        let bytes = try await SpaceExport(engine: engine, space: space, version: version ?? plan.newest).run()
        return try bytes.split(separator: UInt8(ascii: "\n")).dropFirst().map { try JSONValue(parsing: Array($0)) }
    }

    /// Pushes as a device of the newest version does.
    func push(_ changes: [JSONValue], to space: ID, _ engine: SyncEngine) async throws {
        let caller = SyncEngine.Caller(space: space, version: plan.newest, device: .random())
        let document = try JSONDocument(parsing: JSONValue.array(changes).bytes)
        let verdicts = try await engine.push(
            document.root, cursor: nil, isMassDeletion: true, as: caller
        ).verdicts
        let isRefused = verdicts.contains { if case .rejected = $0 { true } else { false } }
        #expect(!isRefused, "\(verdicts)")
    }

    /// Imports all, lets a device delete everything but the first record, imports again: nothing doubles, and nothing
    /// comes back.
    func expectNeitherDuplicatesNorResurrection(_ names: [String]) async throws {
        try await withEngine { engine in
            let space = ID.random()
            try await bring(names, into: space, engine)
            let records = try await records(engine, space)
            #expect(records.count > 1)
            try await bring(names, into: space, engine)
            #expect(try await self.records(engine, space) == records)
            let deletions = try records.dropFirst().enumerated().map { index, record in
                JSONValue.delete(
                    try #require(record["entity"].string), try #require(record["id"].string.flatMap { ID($0) }),
                    at: moment(Int64(index)))
            }
            try await push(Array(deletions), to: space, engine)
            try await bring(names, into: space, engine)
            #expect(try await self.records(engine, space).map { $0["id"] } == [records[0]["id"]])
        }
    }
}

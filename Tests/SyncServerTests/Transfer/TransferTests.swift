import Apps
import Foundation
import PGStore
import SyncClient
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Exports and imports of FitIQ's spaces on a real database, by the engine and by the commands.
@Suite struct TransferTests {
    private func withEngine<Value>(
        _ server: TestServer, _ body: (SyncEngine) async throws -> Value
    ) async throws -> Value {
        let pool = Pool(
            server.database.connectionString, role: "syncserver_serving", limits: PoolLimits(sessionsMax: 2))
        do {
            let value = try await body(SyncEngine(plan: server.plan, pool: pool))
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Three generated records of each entity of a version; some of their references are to each other.
    private func fill(_ server: TestServer, version: Int, seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let plan = server.plan
        let projections = plan.projections[version].compactMap { $0 }
        var ids: [Int: [ID]] = [:]
        for projection in projections {
            let one = plan.hub.entities[projection.entity].singleton.map { [$0] }
            ids[projection.entity] = one ?? (0..<3).map { _ in ID.random(using: &random) }
        }
        var changes: [JSONValue] = []
        for projection in projections {
            let generator = try #require(RecordGenerator(plan, of: projection.name, in: version))
            let references = plan.hub.entities[projection.entity].references
            for id in ids[projection.entity] ?? [] {
                var fields: [String: JSONValue] = [:]
                for (place, field) in projection.fields.enumerated() {
                    var value = generator.value(place, using: &random)
                    if let target = references.first(where: { $0.column == field.column })?.target {
                        let chosen = ids[target].map { $0[Int(random.next() % UInt64($0.count))] }
                        value = random.next() & 3 == 0 ? .null : chosen.map(WireFormats.Value.uuid) ?? .null
                    }
                    fields[field.name] = JSONValue(value)
                }
                changes.append(.create(projection.name, id, fields, at: moment(Int64(changes.count))))
            }
        }
        let answer = try await server.device(plan.schemas[version].version.description).push(changes)
        #expect(!answer.verdicts.contains("rejected"), "seed \(seed): \(answer.codes)")
    }

    @Test(
        "S5_15: what was exported in a version and imported elsewhere exports to the same bytes",
        arguments: [
            0, 4, 6, 7, 9, 10,
        ])
    func exportImportExportIsEqual(version: Int) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        try await withTestServer { source in
            try await fill(source, version: version, seed: seed)
            try await withEngine(source) { engine in
                let elsewhere = ID.random()
                // Every version's export is its own; what one has nothing of says nothing of the others.
                for shape in Set([version, engine.plan.newest]) {
                    let space = elsewhere.derived(for: "\(shape)")
                    let first = try await SpaceExport(engine: engine, space: source.space, version: shape).run()
                    let content = try ExportReader(first, plan: engine.plan)
                    #expect(content.version == shape && content.faults.isEmpty && content.items.count >= 12)
                    let transfer = SpaceImport(engine: engine, space: space)
                    let report = try await transfer.run(content.items, version: shape)
                    #expect(report.imported == content.items.count, "seed \(seed): \(report)")
                    let second = try await SpaceExport(engine: engine, space: space, version: shape).run()
                    #expect(
                        String(decoding: second, as: UTF8.self) == String(decoding: first, as: UTF8.self),
                        "seed \(seed)")
                    let again = try await transfer.run(content.items, version: shape)
                    #expect(again.unchanged == content.items.count, "seed \(seed): \(again)")
                }
            }
        }
    }

    @Test func whatWasDeletedOrEditedLaterStaysSo() async throws {
        try await withTestServer { server in
            let (kept, gone) = (ID(high: 1, low: 1), ID(high: 1, low: 2))
            let device = server.device("0.1.1")
            try await device.push([
                .create("SDMeal", kept, ["notes": "Soup"], at: moment(1)),
                .create("SDMeal", gone, ["notes": "Stew"], at: moment(2)),
            ])
            try await withEngine(server) { engine in
                let export = SpaceExport(engine: engine, space: server.space, version: engine.plan.newest)
                let content = try ExportReader(try await export.run(), plan: engine.plan)
                #expect(content.items.count == 2)
                try await device.push([
                    .update("SDMeal", kept, ["notes": "Soup, and bread"], at: moment(3)),
                    .delete("SDMeal", gone, at: moment(4)),
                ])
                let report = try await SpaceImport(engine: engine, space: server.space)
                    .run(content.items, version: content.version)
                #expect(report.unchanged + report.overruled == 1 && report.faults.isEmpty, "\(report)")
                let view = try await server.view("0.1.1")["SDMeal"]
                #expect(view?.keys.sorted() == [kept.description])
                #expect(view?[kept.description]?["notes"] == "Soup, and bread")
            }
        }
    }

    @Test func aLineThatCannotBeReadIsReportedAndTheRestGoesIn() async throws {
        try await withTestServer { server in
            try await withEngine(server) { engine in
                let empty = SpaceExport(engine: engine, space: server.space, version: engine.plan.newest)
                let good = #"{"entity":"SDMeal","id":"5c1d6f0e-3f5b-4f0a-9d0c-7a1f4a1b2c3d","op":"update","seq":7,"#
                let lines = [
                    #"{"entity":"SDMeal","#, "", good + #""stamp":1,"fields":{"notes":"Soup"}}"#, "[]",
                    good + #""fields":{}}"#, good + #""stamp":2,"fields":{"spoons":1}}"#,
                    #"{"entity":"SDMeal","id":"5c1d6f0e-3f5b-4f0a-9d0c-7a1f4a1b2c3e","op":"delete","stamp":1}"#,
                ]
                let bytes = try await empty.run() + Array(lines.joined(separator: "\n").utf8)
                let content = try ExportReader(bytes, plan: engine.plan)
                #expect(content.faults.map(\.place) == [2, 5, 6, 8])
                for transfer in [
                    SpaceImport(tryingOut: engine.plan), SpaceImport(engine: engine, space: server.space),
                ] {
                    let report = try await transfer.run(content.items, version: content.version)
                    #expect(report.imported == 1)
                    #expect(report.faults.map(\.place) == [7])
                    #expect(report.faults.first?.reason.hasPrefix("unknown-attribute: ") == true)
                }
                #expect(try await server.view("0.1.1")["SDMeal"]?.count == 1)
            }
        }
    }

    @Test func aFileOfAnotherAppVersionOrShapeIsRefusedWhole() throws {
        let plan = try Plan(FitIQPlan.self)
        let shape = plan.schemas[0].fingerprint
        for line in [
            "", "[]", #"{"app":"fitiq"}"#, #"{"app":"keeptrack","version":"0.0.1","fingerprint":"\#(shape)"}"#,
            #"{"app":"fitiq","version":"7.0.0","fingerprint":"\#(shape)"}"#,
            #"{"app":"fitiq","version":"0.0.2","fingerprint":"\#(shape)"}"#,
        ] {
            #expect(throws: TransferError.self) { try ExportReader(Array(line.utf8), plan: plan) }
        }
    }

    @Test func theCommandsDoTheSameAndSayByTheirStatusWhetherAllWentIn() async throws {
        try await withTestServer { server in
            try await fill(server, version: 10, seed: 11)
            let folder = FileManager.default.temporaryDirectory.appending(path: "transfer-\(ID.random())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let files = ["first", "second"].map { folder.appending(path: $0).path }
            func run(_ command: String, _ space: ID, _ rest: [String]) async -> Int32 {
                await SyncServerProgram.main(
                    ["syncserver", command, "--app", "fitiq", "--space", space.description] + rest + [
                        "--database", server.database.connectionString.textRevealingSecrets,
                        "--migrations", Repository.migrationsDirectory,
                    ])
            }
            let other = ID.random()
            #expect(await run("export", server.space, ["--output", files[0]]) == 0)
            #expect(await run("import", other, ["--dry-run", files[0]]) == 0)
            #expect(try await server.contents().filter { $0.contains("head of \(other)") }.isEmpty)
            #expect(await run("import", other, [files[0]]) == 0)
            #expect(await run("export", other, ["--output", files[1]]) == 0)
            let first = try Data(contentsOf: URL(filePath: files[0]))
            #expect(try Data(contentsOf: URL(filePath: files[1])) == first)
            try (first + Data("nonsense\n".utf8)).write(to: URL(filePath: files[0]))
            #expect(await run("import", other, [files[0]]) == 1)
            #expect(await run("import", other, []) == 2)
            #expect(await run("export", other, ["--version", "9.9.9"]) == 2)
        }
    }
}

import DemoApps
import Foundation
import Operations
import Postgres
import SyncClient
import SyncCommands
import SyncEngine
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Exports and imports of FitIQ's spaces on a real database, by the engine and by the commands.
@Suite struct TransferTests {
    @Test func whatWasDeletedOrEditedLaterStaysSo() async throws {
        try await withTestServer { server in
            let (kept, gone) = (ID(high: 1, low: 1), ID(high: 1, low: 2))
            let device = server.device("0.1.1")
            try await device.push([
                .create("SDMeal", kept, ["notes": "Soup"], at: moment(1)),
                .create("SDMeal", gone, ["notes": "Stew"], at: moment(2)),
            ])
            try await server.withEngine { engine in
                let export = SpaceExport(engine: engine, space: server.space, version: engine.plan.newest)
                let content = try ExportReader(try await export.run(), plan: engine.plan)
                #expect(content.items.count == 2)
                try await device.push([
                    .update("SDMeal", kept, ["notes": "Soup, and bread"], at: moment(3)),
                    .delete("SDMeal", gone, at: moment(4)),
                ])
                let report = try await SpaceImport(engine: engine, space: server.space)
                    .run(content.items, version: content.version)
                #expect(report.unchanged + report.overruled == 2 && report.faults.isEmpty, "\(report)")
                let view = try await server.view("0.1.1")["SDMeal"]
                #expect(view?.keys.sorted() == [kept.description])
                #expect(view?[kept.description]?["notes"] == "Soup, and bread")
            }
        }
    }

    /// H4: neither a reference whose target comes later, nor an edit that was made offline before the import.
    @Test func anOwnExportTakesNothingAway() async throws {
        try await withTestServer { server in
            let (meal, item) = (ID.random(), ID.random())
            let (phone, offline) = (server.device("0.0.6"), server.device("0.1.1"))
            try await phone.push([
                .create("SDMealLogItem", item, ["name": "Egg", "mealLog": .string(meal.description)], at: moment(5))
            ])
            try await offline.pullAll()
            try await phone.push([.update("SDMealLogItem", item, ["quantity": 2], at: moment(9))])
            try await server.withEngine { engine in
                let export = SpaceExport(engine: engine, space: server.space, version: engine.plan.newest)
                let content = try ExportReader(try await export.run(), plan: engine.plan)
                let report = try await SpaceImport(engine: engine, space: server.space)
                    .run(content.items, version: content.version)
                #expect(report.unchanged == 1, "\(report)")
            }
            // Later than the name, earlier than the record's latest edit.
            try await offline.push([.update("SDMealLogItem", item, ["name": "Eggs"], at: moment(7))])
            try await phone.push([.create("SDMeal", meal, at: moment(10))])
            let view = try await server.view("0.0.6")
            #expect(view["SDMealLogItem"]?[item.description]?["mealLog"] == .string(meal.description))
            #expect(view["SDMealLogItem"]?[item.description]?["name"] == "Eggs")
        }
    }

    @Test func aLineThatCannotBeReadIsReportedAndTheRestGoesIn() async throws {
        try await withTestServer { server in
            try await server.withEngine { engine in
                let empty = SpaceExport(engine: engine, space: server.space, version: engine.plan.newest)
                let good = #"{"entity":"SDMeal","id":"5c1d6f0e-3f5b-4f0a-9d0c-7a1f4a1b2c3d","op":"update","seq":7,"#
                let lines = [
                    #"{"entity":"SDMeal","#, "", good + #""stamp":1,"fields":{"notes":"Soup"}}"#, "[]",
                    good + #""fields":{}}"#, good + #""stamp":2,"fields":{"spoons":1}}"#,
                    #"{"entity":"SDMeal","id":"5c1d6f0e-3f5b-4f0a-9d0c-7a1f4a1b2c3e","op":"delete","stamp":1}"#,
                ]
                let bytes = try await empty.run() + Array(lines.joined(separator: "\n").utf8)
                let content = try ExportReader(bytes, plan: engine.plan)
                #expect(content.faults.map(\.position) == [2, 5, 6, 8])
                for transfer in [
                    SpaceImport(tryingOut: engine.plan), SpaceImport(engine: engine, space: server.space),
                ] {
                    let report = try await transfer.run(content.items, version: content.version)
                    #expect(report.imported == 1)
                    #expect(report.faults.map(\.position) == [7])
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
            var random = SplitMix64(seed: 11)
            let filling = SpaceFilling(server.plan, recordsPerEntity: 3, using: &random)
            try await server.device().push(filling.creations(in: 10, from: 0, using: &random))
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

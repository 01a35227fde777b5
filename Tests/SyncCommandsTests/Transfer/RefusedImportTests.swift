import DemoApps
import Foundation
import Operations
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands

/// Records that an import leaves out, and what it says of them.
@Suite struct RefusedImportTests {
    @Test func openingHoursStayOutWithABusinessThatIsRefused() async throws {
        let files = try LegacyFiles(of: EasitOpenPlan.self, in: "EasitOpen")
        let hours = #"{"weekday":2,"openTime":540,"closeTime":780,"isClosed":false}"#
        func business(_ id: ID, _ address: String) -> String {
            #"{"id":"\#(id)","name":"A","address":"\#(address)","latitude":0,"longitude":0,"#
                + #""dateAdded":"2025-12-03T20:30:00Z","openingHours":[\#(hours),\#(hours)]}"#
        }
        // More than a record may have.
        let large = String(repeating: "x", count: SyncEngine.recordSizeMaxBytes)
        let (good, bad) = (ID.random(), ID.random())
        let content = try files.content(of: "[\(business(bad, large)),\(business(good, "1 Sample Street"))]")
        #expect(content.items.count == 6)
        try await files.withEngine { engine in
            let space = ID.random()
            let report = try await files.bring(content, into: space, engine)
            #expect(report.imported == 3)
            #expect(report.faults.map(\.position) == [1, 1, 1], "\(report.faults)")
            #expect(report.faults[0].reason.hasPrefix("record-too-large: "))
            for fault in report.faults.dropFirst() {
                #expect(
                    fault.reason == "It belongs to Business \(bad), which was refused, and stays out with it.")
            }
            let records = try await files.records(engine, space)
            #expect(records.map { $0["entity"] } == ["Business", "DaySchedule", "DaySchedule"])
            #expect(records.dropFirst().allSatisfy { $0["fields"]["business"] == .id(good) })
        }
    }

    /// Also where it is first in the file, over several generations, and in a trial.
    @Test func whatBelongsToARefusedRecordOfAnExportStaysOutWithIt() async throws {
        try await withTestServer { server in
            try await server.withEngine { engine in
                let empty = SpaceExport(engine: engine, space: server.space, version: engine.plan.newest)
                let ids = (0..<5).map { ID(high: 9, low: $0) }
                func line(_ entity: String, _ id: ID, _ fields: String) -> String {
                    #"{"entity":"\#(entity)","id":"\#(id)","op":"update","stamp":7,"fields":{\#(fields)}}"#
                }
                let lines = [
                    line("SDMealLogItem", ids[0], #""mealLog":"\#(ids[2])""#),
                    line("SDMealLogItem", ids[1], #""mealLog":"\#(ids[3])""#),
                    line("SDMeal", ids[2], #""spoons":1"#), line("SDMeal", ids[3], #""notes":"Soup""#),
                    // Refers to nothing that is in the file.
                    line("SDMealLogItem", ids[4], #""mealLog":"\#(ID(high: 9, low: 77))""#),
                ]
                let bytes = try await empty.run() + Array(lines.joined(separator: "\n").utf8)
                let content = try ExportReader(bytes, plan: engine.plan)
                #expect(content.faults.isEmpty)
                for transfer in [
                    SpaceImport(tryingOut: engine.plan), SpaceImport(engine: engine, space: server.space),
                ] {
                    let report = try await transfer.run(content.items, version: content.version)
                    #expect(report.faults.map(\.position) == [2, 4] && report.imported == 3, "\(report)")
                    #expect(report.faults[0].reason.contains("SDMeal \(ids[2])"), "\(report)")
                }
                let view = try await server.view("0.1.1")
                #expect(view["SDMealLogItem"]?.keys.sorted() == [ids[1].description, ids[4].description])
                #expect(view["SDMeal"]?.keys.sorted() == [ids[3].description])
            }
        }
    }

    /// Commands meet them as a push does, and say more than a code.
    @Test(arguments: [
        (SyncError.erased, "name another space"), (SyncError.outdated, "with that release’s program"),
        (SyncError.quarantineFull, "syncserver quarantine list"),
        (SyncError.quotaExceeded(.records, held: 7, more: 5, most: 10), "7 records and 5 more are beyond 10"),
    ])
    func whatKeepsAnImportOutIsSaidWithWhatToDo(error: SyncError, words: String) {
        #expect(SyncServerProgram.explanation(of: error).contains(words))
    }

    @Test func anErasedSpaceIsSaidToBeErasedWithTheDateAndWhatToDo() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            let file = FileManager.default.temporaryDirectory.appending(path: "erased-\(ID.random())")
            defer { try? FileManager.default.removeItem(at: file) }
            try await server.withEngine { engine in
                let export = try await SpaceExport(engine: engine, space: server.space, version: 0).run()
                try Data(export).write(to: file)
                var receipt = Erasing.Receipt()
                try await engine.erasing.erase(server.space, into: &receipt)
            }
            let words = ["--app", "fitiq", "--space", "\(server.space)"]
            let today = String(Timestamp.now.description.prefix(8))
            for command in [["import", file.path], ["export"]] {
                let run = try await CommandRun(command + words, database: server.database.connectionString)
                #expect(run.status == 1 && run.output.isEmpty, "\(run)")
                for part in ["was erased at \(today)", "another space", "for good"] {
                    #expect(run.errors.replacing("\n", with: " ").contains(part), "\(run.errors)")
                }
            }
            // Nobody says so of one that is only unknown: an import makes it.
            let other = ["import", file.path, "--app", "fitiq", "--space", "\(ID.random())"]
            #expect(try await CommandRun(other, database: server.database.connectionString).status == 0)
        }
    }

    /// Somebody writes an export by hand, as one who comes from another system does.
    @Test(arguments: [
        (#"{"app":"fitiq","version":"0.0.3"}"#, "lacks ‘fingerprint’: that of 0.0.3 is "),
        (#"{"app":"fitiq","version":"9.9.9"}"#, "is in version 9.9.9, which fitiq does not have here"),
        (#"{"app":"other","version":"0.0.3"}"#, "The file is no export"),
        (#"{"app":"fitiq"}"#, "The file is no export"),
    ])
    func aFirstLineWithoutItsFingerprintIsReported(_ line: String, _ words: String) throws {
        let plan = try Plan(FitIQPlan.self)
        let record = #"{"entity":"SDMeal","id":"7f3a4a0e-8f2e-4a39-8c5c-0d6c6d6b1c11","stamp":1,"fields":{}}"#
        #expect {
            _ = try ImportContent(Array("\(line)\n\(record)\n".utf8), plan: plan)
        } throws: { "\($0)".contains(words) }
    }
}

import DemoApps
import Operations
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Files that KeepTrack wrote before its models had versions, in every form that they ever had.
@Suite struct KeepTrackImportTests {
    private let files: LegacyFiles

    init() throws {
        files = try LegacyFiles(of: KeepTrackPlan.self, in: "KeepTrack")
    }

    private var plan: Plan { files.plan }

    /// The number of rows of each file, and so of the records that are read.
    private static let rows = [
        "waterhistory.bundled-2025-03-23": 3, "goals.2025-03-27": 1, "medgoals.2025-04-09": 2,
        "waterhistory.2025-04-10": 3, "medicationhistory.2025-04-10": 2, "goalsstore.2025-04-11": 1,
        "goalsstore.2025-04-19": 2, "intakeTypes.2025-07-03": 5, "intakeTypes.2025-07-08": 6,
        "intakeTypes.2026-01-12": 7, "goalsstore.current": 1, "entrystore": 4, "backup-v1": 4, "userdefaults": 1,
    ]

    @Test func everyDatedFormIsReadAndAccepted() async throws {
        for (file, rows) in KeepTrackImportTests.rows.sorted(by: { $0.key < $1.key }) {
            let content = try files.content("\(file).json")
            #expect(content.faults.isEmpty, "\(file): \(content.faults)")
            #expect(content.items.map(\.position) == Array(1...rows), "\(file)")
            let report = try await SpaceImport(tryingOut: plan).run(content.items, version: content.version)
            #expect(report.faults.isEmpty, "\(file): \(report.faults)")
        }
    }

    @Test func theOrderInWhichFilesAreImportedDoesNotMatterAndTheLaterFormWins() async throws {
        try await files.withEngine { engine in
            let names = KeepTrackImportTests.rows.keys.sorted().map { "\($0).json" }
            let (one, other) = (ID.random(), ID.random())
            _ = try await files.bring(names, into: one, engine)
            _ = try await files.bring(names.reversed(), into: other, engine)
            let records = try await files.records(engine, one)
            #expect(try await files.records(engine, other) == records)
            func all(_ entity: String) -> [JSONValue] {
                records.filter { $0["entity"].string == entity }.map { $0["fields"] }
            }
            func named(_ entity: String, _ name: JSONValue) -> [JSONValue] {
                all(entity).filter { $0["name"] == name }
            }
            #expect(named("SDIntakeType", "Magnesum").isEmpty)
            #expect(named("SDIntakeType", "Magnesium").map { $0["frequency"] } == ["twiceWeekly"])
            #expect(named("SDIntakeType", "Tea").map { $0["frequency"] } == ["twiceADay"])
            #expect(named("SDIntakeType", "Tea").map { $0["unit"] } == ["fluidOunces"])
            #expect(named("SDIntakeType", "Porridge").map { $0["frequency"] } == ["threeTimesWeekly"])
            #expect(named("SDGoal", "Water").map { $0["frequency"] } == ["sixTimesADay"])
            #expect(named("SDGoal", "Drink enough").map { $0["isActive"] } == [true])
            #expect(named("SDGoal", "Zinc").count == 2)
            #expect(
                named("SDGoal", "Vitamin C").map { $0["dates"] } == [["2025-04-09T07:00:00Z", "2025-04-09T19:00:00Z"]])
            let entries = all("SDEntry")
            // Three of the bundle, three of water, two of medicine, three of the store, of which one came twice.
            #expect(entries.count == 11)
            #expect(entries.contains { $0["date"] == "2025-03-21T06:40:01Z" && $0["amount"] == 1 })
            #expect(entries.contains { $0["date"] == "2026-01-10T13:05:07.123456Z" && $0["units"] == "fluidOunces" })
            let settings = all("SDAppSettings")
            #expect(settings.map { $0["acceptedLicenseVersion"] } == ["1.2"])
        }
    }

    @Test("S3_07: importing twice, or after a deletion, neither duplicates nor resurrects")
    func importingAgainNeitherDuplicatesNorResurrects() async throws {
        try await files.withEngine { engine in
            let names = KeepTrackImportTests.rows.keys.sorted().map { "\($0).json" }
            let space = ID.random()
            _ = try await files.bring(names, into: space, engine)
            let records = try await files.records(engine, space)
            let again = try await files.bring(names, into: space, engine)
            #expect(try await files.records(engine, space) == records)
            #expect(again.allSatisfy { $0.faults.isEmpty })
            // A device deletes all but the first, which it edits.
            let first = try #require(records.first { $0["entity"] == "SDEntry" })
            let id = try #require(first["id"].string.flatMap { ID($0) })
            var changes: [JSONValue] = [.update("SDEntry", id, ["name": "Tap water"], at: moment(1))]
            for record in records where record != first {
                let id = try #require(record["id"].string.flatMap { ID($0) })
                changes.append(.delete(record["entity"].string ?? "", id, at: moment(2)))
            }
            try await files.push(changes, to: space, engine)
            _ = try await files.bring(names, into: space, engine)
            let left = try await files.records(engine, space)
            #expect(left.map { $0["id"] } == [first["id"]])
            #expect(left.first?["fields"]["name"] == "Tap water")
        }
    }

    @Test func whatWasDeletedBeforeTheFirstImportStaysDeletedEvenIfTheRowIsFromTheFuture() async throws {
        try await files.withEngine { engine in
            let (space, id) = (ID.random(), ID(high: 7, low: 7))
            try await files.push([.delete("SDEntry", id, at: moment(1))], to: space, engine)
            let content = try files.content(of: #"[{"id":"\#(id)","date":99999999999,"units":1}]"#)
            #expect(content.items.count == 1)
            _ = try await SpaceImport(engine: engine, space: space).run(content.items, version: content.version)
            #expect(try await files.records(engine, space).isEmpty)
        }
    }

    @Test func rowsWithoutAnIDGetOneFromTheirContentAndEqualOnesOneEach() throws {
        let rows = #"[{"date":764579700,"units":1},{"date":764579700,"units":1},{"date":764579701,"units":1}]"#
        let first = try files.content(of: rows).items
        #expect(try files.content(of: rows).items.map(\.change) == first.map(\.change))
        let ids = try first.map { try JSONValue(parsing: $0.change)["id"] }
        #expect(Set(ids).count == 3)
    }

    @Test func theMisspeltKeyCountsWhereTheRightOneIsNotThere() throws {
        let row = #"{"name":"a","description":"","startDate":1,"endDate":2"#
        let content = try files.content(
            of: "[\(row)}, \(row),\"isAcdtive\":false}, \(row),\"isAcdtive\":false,\"isActive\":true}]")
        let active = try content.items.map { try JSONValue(parsing: $0.change)["fields"]["isActive"] }
        #expect(active == [true, false, true])
    }

    @Test func aRowThatCannotBeReadIsReportedByItsPositionAndTheRestIsRead() throws {
        let content = try files.content(
            of: """
                [7, {}, {"date":"soon","units":1}, {"date":1e300,"units":1}, {"id":"?","date":1,"units":1},
                 {"date":1,"units":1,"goalMet":"yes"}, {"date":1}, {"dates":[1,"x"],"name":"a"},
                 {"descrip":"","frequency":"daily","name":"a\\u0000","unit":"","amount":1}]
                """)
        #expect(content.items.map(\.position) == [7])
        #expect(content.faults.map(\.position) == [1, 2, 3, 4, 5, 6, 8, 9])
        for bytes in ["", "{}", "[", "7", "null", #"{"entries":[]}"#] {
            #expect(throws: TransferError.self) { try files.content(of: bytes) }
        }
        #expect(throws: TransferError.self) { try ImportContent(Array("[]".utf8), plan: Plan(FitIQPlan.self)) }
    }
}

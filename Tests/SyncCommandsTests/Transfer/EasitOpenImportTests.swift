import DemoApps
import Operations
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Businesses as each build of EasitOpen held them, and the provider's answers that it made them from.
@Suite struct EasitOpenImportTests {
    private let files: LegacyFiles

    init() throws {
        files = try LegacyFiles(of: EasitOpenPlan.self, in: "EasitOpen")
    }

    private static let builds = [
        "business.U1.json", "business.U2.json", "business.1.0.0.json", "business.planned.json",
    ]

    private func business(_ hours: String) throws -> ImportContent {
        try files.content(
            of: #"[{"id":"4816038F-1182-5DC4-89AA-86ECAE17ED2A","name":"A","address":"","latitude":0,"longitude":0,"#
                + #""dateAdded":"2025-12-03T20:30:00Z","openingHours":\#(hours)}]"#)
    }

    @Test func everyBuildsBusinessIsReadAtItsVersion() throws {
        let versions = try EasitOpenImportTests.builds.map { file in
            let content = try files.content(file)
            #expect(content.faults.isEmpty && content.items.count == 4, "\(file): \(content.faults)")
            return try JSONValue(parsing: content.items[0].change)["version"].string
        }
        #expect(versions == ["0.0.1", "0.0.2", "1.0.0", "2.0.0"])
    }

    @Test("S5_01: a new device of every version receives what earlier builds held")
    func everyBuildsBusinessReachesEveryVersion() async throws {
        try await files.withEngine { engine in
            let (one, other) = (ID.random(), ID.random())
            try await files.bring(EasitOpenImportTests.builds, into: one, engine)
            try await files.bring(EasitOpenImportTests.builds.reversed(), into: other, engine)
            for version in files.plan.schemas.indices {
                let records = try await files.records(engine, one, in: version)
                #expect(try await files.records(engine, other, in: version) == records)
                #expect(records.map { $0["entity"] } == ["Business"] + Array(repeating: "DaySchedule", count: 3))
                let business = try #require(records.first?["fields"])
                #expect(business[version == 4 ? "phone" : "phoneNumber"] == "+972 3-000-0000")
                if version > 0 { #expect(business["customLabel"] == "breakfast") }
                if version > 1 { #expect(business["lastUpdated"] == "2025-12-04T18:30:00Z") }
                let ids = EasitOpen.openingHours(
                    of: try #require(records[0]["id"].string.flatMap { ID($0) }), onWeekdays: [2, 2, 6])
                #expect(Set(records.dropFirst().map { $0["id"] }) == Set(ids.map { JSONValue.id($0) }))
            }
            // A later import that lacks them takes nothing away.
            try await files.bring(["places-answer.json"], into: one, engine)
            #expect(try await files.records(engine, one).count == 4 + 5)
        }
    }

    @Test("S3_07: importing EasitOpen's files twice, or after a deletion, neither duplicates nor resurrects")
    func importingAgainNeitherDuplicatesNorResurrects() async throws {
        try await files.expectNeitherDuplicatesNorResurrection(EasitOpenImportTests.builds + ["places-answer.json"])
    }

    @Test func theProvidersAnswerIsReadAsTheAppDoes() throws {
        let content = try files.content("places-answer.json")
        // The second has no location.
        #expect(content.faults.map(\.position) == [2] && content.items.map(\.position) == [1, 1, 1, 1, 3])
        let records = try content.items.map { try JSONValue(parsing: $0.change) }
        #expect(records[0]["fields"]["googlePlaceId"] == "place-0001")
        #expect(records[4]["fields"]["latitude"] == 0)
        let hours = records[1...3].map { record in
            ["weekday", "openTime", "closeTime"].map { record["fields"][$0].int ?? -1 }
        }
        // Monday with a break, and a Friday that ends on Saturday at two.
        #expect(hours == [[2, 540, 780], [2, 960, 1140], [6, 1080, 120]])
        let always = try files.content(
            of: #"{"places":[{"id":"a","displayName":{"text":"A"},"location":{"latitude":1,"longitude":2},"#
                + #""currentOpeningHours":{"periods":[{"open":{"day":0,"hour":0,"minute":0}}]}}]}"#)
        #expect(always.items.count == 1 && always.faults.isEmpty)
    }

    @Test func aDevicesOwnSettingsAreRefusedInSoManyWords() throws {
        let error = #expect(throws: TransferError.self) { try files.content("userdefaults.json") }
        #expect(error?.description.contains("one device's own settings") == true)
        for text in ["{}", "7", "", "[", #"{"homes":[]}"#] {
            #expect(throws: TransferError.self) { try files.content(of: text) }
        }
    }

    @Test func hoursGoInOrStayOutWithTheirBusiness() throws {
        let good = #"{"weekday":7,"openTime":0,"closeTime":1440,"isClosed":true}"#
        #expect(try business("[\(good)]").items.count == 2)
        #expect(try business("null").items.count == 1)
        for bad in [
            #"{"weekday":8,"openTime":0,"closeTime":0,"isClosed":false}"#,
            #"{"weekday":1,"openTime":-1,"closeTime":0,"isClosed":false}"#,
            #"{"weekday":1,"openTime":0,"closeTime":9.5,"isClosed":false}"#,
            #"{"weekday":1,"openTime":0,"isClosed":false}"#, #"{"weekday":1,"openTime":0,"closeTime":0}"#, "7",
        ] {
            let content = try business("[\(good),\(bad)]")
            #expect(content.items.isEmpty && content.faults.map(\.position) == [1])
            #expect(content.faults.first?.reason.hasPrefix("Opening hours 2: ") == true)
        }
        #expect(try business("{}").faults.count == 1)
    }
}

import DemoApps
import Operations
import Postgres
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// A file that an app wrote has one time, and all of its rows are edits of that time.
@Suite struct LegacyFileTimeTests {
    private let intake = ID(high: 0x1, low: 0xA)

    private func keepTrack() throws -> LegacyFiles { try LegacyFiles(of: KeepTrackPlan.self, in: "KeepTrack") }

    private func kind(_ name: String, _ amount: Double, _ unit: String) -> String {
        #"{"id":"\#(intake)","name":"\#(name)","amount":\#(amount),"unit":"\#(unit)","descrip":"","frequency":"daily"}"#
    }

    private func time(_ text: String) throws -> Timestamp { try Timestamp("\(text)T00:00:00Z") }

    /// The one record of a space, as the newest version reads it.
    private func kept(_ files: LegacyFiles, _ engine: SyncEngine, _ space: ID) async throws -> [JSONValue] {
        let records = try await files.records(engine, space)
        #expect(records.count == 1)
        return ["name", "amount", "unit"].map { records.first?["fields"][$0] ?? .null }
    }

    @Test func theLaterOfTwoFilesStandsAsAWholeInEitherOrder() async throws {
        let files = try keepTrack()
        let january = try files.content(of: "[\(kind("Vitamin D", 10, "mg"))]", at: time("2026-01-31"))
        let february = try files.content(of: "[\(kind("Vitamin C", 5, "g"))]", at: time("2026-02-28"))
        try await files.withEngine { engine in
            for order in [[january, february], [february, january], [january, february, january, january]] {
                let space = ID.random()
                for content in order { try await files.bring(content, into: space, engine) }
                #expect(try await kept(files, engine, space) == ["Vitamin C", 5, "g"])
            }
        }
    }

    @Test func openingHoursAreThoseOfOneFile() async throws {
        let files = try LegacyFiles(of: EasitOpenPlan.self, in: "EasitOpen")
        func business(_ open: Int, _ close: Int, _ phone: String) -> String {
            #"[{"id":"\#(intake)","name":"A","address":"","latitude":0,"longitude":0,\#(phone)"#
                + #""dateAdded":"2025-12-03T20:30:00Z","openingHours":[{"weekday":2,"openTime":\#(open),"#
                + #""closeTime":\#(close),"isClosed":false}]}]"#
        }
        let first = try files.content(of: business(540, 780, #""phoneNumber":"1","#), at: time("2026-01-31"))
        // Foundation's encoders leave out what is nil: this one has no telephone any more.
        let second = try files.content(of: business(480, 840, ""), at: time("2026-02-28"))
        try await files.withEngine { engine in
            for order in [[first, second], [second, first]] {
                let space = ID.random()
                for content in order { try await files.bring(content, into: space, engine) }
                let records = try await files.records(engine, space)
                #expect(records.count == 2 && records[0]["fields"]["phone"] == .null)
                #expect(["openTime", "closeTime"].map { records[1]["fields"][$0] } == [480, 840])
            }
        }
    }

    @Test func ofFilesWithOneTimeOrNoneTheSameOneStandsAsAWhole() async throws {
        let files = try keepTrack()
        let rows = [kind("Vitamin D", 10, "mg"), kind("Vitamin C", 5, "g"), kind("Zinc", 7, "kg")]
        try await files.withEngine { engine in
            for moment in [nil, try time("2026-01-31"), Timestamp(microseconds: 0), Timestamp(microseconds: -1)] {
                let contents = try rows.map { try files.content(of: "[\($0)]", at: moment) }
                var outcomes: Set<[JSONValue]> = []
                for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2, 0, 1], [2, 0, 1]] {
                    let space = ID.random()
                    for place in order { try await files.bring(contents[place], into: space, engine) }
                    outcomes.insert(try await kept(files, engine, space))
                }
                #expect(outcomes.count == 1)
                let whole: [[JSONValue]] = [["Vitamin D", 10, "mg"], ["Vitamin C", 5, "g"], ["Zinc", 7, "kg"]]
                #expect(outcomes.isSubset(of: whole), "\(outcomes)")
            }
        }
    }

    @Test func aDevicesLaterEditStandsAndAnEarlierOneDoesNot() async throws {
        let files = try keepTrack()
        let now = Timestamp.now.microseconds
        let edited = JSONValue.update("SDIntakeType", intake, ["amount": 3], at: moment(0))
        let deleted = JSONValue.delete("SDIntakeType", intake, at: moment(0))
        try await files.withEngine { engine in
            // Of two hours ago, and of a minute ago; a device does something an hour ago.
            for (ago, isLater) in [(7200, false), (60, true)] as [(Int64, Bool)] {
                let time = Timestamp(microseconds: now - ago * 1_000_000)
                let content = try files.content(of: "[\(kind("Zinc", 7, "kg"))]", at: time)
                for change in [edited, deleted] {
                    for isFirst in [true, false] {
                        let space = ID.random()
                        let creation = JSONValue.create(
                            "SDIntakeType", intake, ["name": "Iron", "unit": "g", "amount": 1], at: moment(-1))
                        if isFirst { try await files.bring(content, into: space, engine) }
                        try await files.push([creation, change], to: space, engine)
                        if !isFirst { try await files.bring(content, into: space, engine) }
                        if change == deleted, !isLater {
                            #expect(try await files.records(engine, space).isEmpty)
                            continue
                        }
                        let expected: [JSONValue] = isLater ? ["Zinc", 7, "kg"] : ["Iron", 3, "g"]
                        #expect(try await kept(files, engine, space) == expected, "\(ago) \(isFirst)")
                    }
                }
            }
        }
    }

    /// As a device's clock that is ahead: it counts as of when it was first imported.
    @Test func aTimeInTheFutureBeatsNobodyAfterwards() async throws {
        let files = try keepTrack()
        let next = try files.content(of: "[\(kind("Zinc", 7, "kg"))]", at: time("2090-01-01"))
        let last = try files.content(of: "[\(kind("Iron", 1, "g"))]", at: time("2091-01-01"))
        try await files.withEngine { engine in
            for order in [[next, last], [last, next], [last, next, last]] {
                let space = ID.random()
                for content in order { try await files.bring(content, into: space, engine) }
                #expect(try await kept(files, engine, space) == ["Iron", 1, "g"])
                // Without a stamp: now.
                try await files.push([.update("SDIntakeType", intake, ["amount": 3], at: nil)], to: space, engine)
                for content in order { try await files.bring(content, into: space, engine) }
                #expect(try await kept(files, engine, space) == ["Iron", 3, "g"])
            }
        }
    }

    @Test func ofTwoRowsOfOneRecordTheLastIsTakenAndThatIsSaid() async throws {
        let files = try keepTrack()
        let rows = [kind("Zinc", 7, "kg"), kind("Iron", 1, "g"), "7", kind("Iron", 1, "g")]
        let content = try files.content(of: "[\(rows.joined(separator: ","))]")
        #expect(content.items.map(\.position) == [2, 4])
        #expect(content.faults.map(\.position) == [1, 3])
        #expect(content.faults[0].reason == "The row 4 is of the same record, and is taken.")
        try await files.withEngine { engine in
            let space = ID.random()
            try await files.bring(content, into: space, engine)
            #expect(try await kept(files, engine, space) == ["Iron", 1, "g"])
        }
        // A business goes with its hours.
        let places = try LegacyFiles(of: EasitOpenPlan.self, in: "EasitOpen")
        func business(_ hours: String) -> String {
            #"{"id":"\#(intake)","name":"A","address":"","latitude":0,"longitude":0,"#
                + #""dateAdded":"2025-12-03T20:30:00Z","openingHours":[\#(hours)]}"#
        }
        let hours = #"{"weekday":2,"openTime":540,"closeTime":780,"isClosed":false}"#
        let twice = try places.content(of: "[\(business(hours)),\(business(""))]")
        #expect(twice.items.map(\.position) == [2] && twice.faults.map(\.position) == [1])
    }
}

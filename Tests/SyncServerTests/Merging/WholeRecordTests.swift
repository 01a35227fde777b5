import SyncTestSupport
import Testing
import WireFormats

/// A client may always send whole records: only what differs from its version's view is an edit.
@Suite struct WholeRecordTests {
    private let id = ID.random()

    @Test func whatIsUntouchedDoesNotBeatALaterEdit() async throws {
        try await ScoresPlan.withServer { server in
            let (whole, other) = (server.device("1.0.0", mode: "whole"), server.device("2.0.0"))
            try await other.push([.create("Game", id, ["name": "a", "played": nil], at: moment(1))])
            try await whole.pullAll()
            var fields = try #require(await whole.store["Game"]?[id.description])
            fields["rank"] = "2nd"
            #expect(try await whole.push([.update("Game", id, fields, at: moment(5))]).verdicts == ["applied"])
            // Made before, arrives later: the name was not among what the user changed.
            let answer = try await other.push([.update("Game", id, ["name": "b", "rank": 1], at: moment(3))])
            #expect(answer.kept == [0: ["rank"]])
            #expect(try await server.game(id)["name"] == "b")
            #expect(try await server.game(id)["rank"] == 2)
        }
    }

    @Test func anEchoOfAWholeRecordIsNoNews() async throws {
        try await withTestServer { server in
            let (whole, parent) = (server.device("0.1.1", mode: "whole"), ID.random())
            let fields: [String: JSONValue] = ["quantity": 1.5, "unit": "cups", "mealLog": .id(parent)]
            try await server.device().push([.create("SDMealLogItem", id, fields, at: moment(1))])
            try await whole.pullAll()
            let before = try await server.contents()
            // The reference dangles, so it reads as null, and that is what comes back.
            let echo = try #require(await whole.store["SDMealLogItem"]?[id.description])
            #expect(echo["mealLog"]?.isNull == true)
            #expect(try await whole.push([.update("SDMealLogItem", id, echo, at: moment(2))]).verdicts == ["unchanged"])
            #expect(try await server.contents() == before)
        }
    }

    @Test func aCreationSaysWhatNobodyHasSaidYet() async throws {
        try await withTestServer { server in
            let (whole, other) = (server.device("0.0.8", mode: "whole"), server.device("0.0.8"))
            try await other.push([.update("SDMealLogItem", id, ["quantity": 3], at: moment(40))])
            try await whole.pullAll()
            let fields = try #require(await whole.store["SDMealLogItem"]?[id.description])
            try await whole.push([.create("SDMealLogItem", id, fields, at: moment(50))])
            let unit = JSONValue.update("SDMealLogItem", id, ["unit": "g"], at: moment(30))
            #expect(try await other.push([unit]).verdicts == ["superseded"])
            // The number it leaves as it is.
            let number = JSONValue.update("SDMealLogItem", id, ["quantity": 2], at: moment(45))
            #expect(try await other.push([number]).verdicts == ["applied"])
        }
    }

    /// The case that the document warns of: the view is the server's, not what the client had read.
    @Test func whatItsClientHadNotReadIsOverwritten() async throws {
        try await ScoresPlan.withServer { server in
            let (whole, other) = (server.device("1.0.0", mode: "whole"), server.device("2.0.0"))
            try await other.push([.create("Game", id, ["name": "a"], at: moment(1))])
            try await whole.pullAll()
            try await other.push([.update("Game", id, ["name": "b"], at: moment(2))])
            var fields = try #require(await whole.store["Game"]?[id.description])
            fields["rank"] = "2nd"
            try await whole.push([.update("Game", id, fields, at: moment(5))])
            #expect(try await server.game(id)["name"] == "a")
        }
    }

    @Test func countersInWholeRecordsAreNotSet() async throws {
        try await ScoresPlan.withServer { server in
            let (whole, other) = (server.device("2.0.0", mode: "whole"), server.device("2.0.0"))
            try await other.push([.create("Game", id, ["count": 3], at: moment(1))])
            try await whole.pullAll()
            try await other.push([.count("Game", id, ["count": 4], at: moment(2))])
            let fields = try #require(await whole.store["Game"]?[id.description])
            try await whole.push([.update("Game", id, fields, at: moment(3)).with("increments", ["wins": 1])])
            let game = try await server.game(id)
            #expect(game["count"] == 7 && game["wins"] == 1)
        }
    }

    @Test(arguments: ["Whole", "", "merge"])
    func anotherModeIsRefused(mode: String) async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("1.0.0", mode: mode)
            let refused = await #expect(throws: TestDevice.Refused.self) { try await device.pullAll() }
            #expect(refused?.reply.isProblem(400, "malformed") == true)
        }
        try await ScoresPlan.withServer { server in
            try await server.device("1.0.0", mode: "patch").pullAll()
        }
    }
}

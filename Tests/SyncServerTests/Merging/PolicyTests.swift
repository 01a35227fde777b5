import Foundation
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Attributes of which the greatest, the least or all elements stand, whatever their stamps. Counters have their own
/// tests.
@Suite struct PolicyTests {
    private let id = ID.random()

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func theGreatestAndTheLeastStandInEveryOrderOfArrivalAndOfStamps(order: [Int]) async throws {
        try await ScoresPlan.withServer { server in
            let edits: [(String, [String: JSONValue])] = [
                ("1.0.0", ["best": 9, "fastest": "10.5", "played": "2026-01-02T00:00:00Z"]),
                ("2.0.0", ["best": 100, "fastest": "9.25", "played": "2026-03-01T00:00:00Z"]),
                ("3.0.0", ["points": 20, "fastest": "100", "played": nil]),
            ]
            // The best was neither the first nor the last to be written.
            let stamps: [Int64] = [3, 2, 4]
            for index in order {
                try await server.device(edits[index].0).push([
                    .update("Game", id, edits[index].1, at: moment(stamps[index]))
                ])
            }
            let game = try await server.game(id)
            #expect(game["best"] == 100 && game["fastest"] == "9.25" && game["played"] == "2026-03-01T00:00:00Z")
            #expect(try await server.game(id, "3.0.0")["points"] == 100)
        }
    }

    @Test func anEditThatLosesIsKeptAndReportedToItsDevice() async throws {
        try await ScoresPlan.withServer { server in
            let (strong, weak) = (server.device("2.0.0"), server.device("2.0.0"))
            try await strong.push([.create("Game", id, ["best": 9], at: moment(1))])
            try await weak.pullAll()
            let late = try await weak.push([.update("Game", id, ["best": 5, "name": "mine"], at: moment(2))])
            #expect(late.verdicts == ["merged"] && late.kept == [0: ["best"]])
            try await weak.pullAll()
            #expect(await weak.value("Game", id, "best") == 9)
            // Also where nothing is news, because the stamp is an earlier one.
            let early = try await weak.push([.update("Game", id, ["best": 4], at: moment(1))])
            #expect(early.verdicts == ["superseded"])
            try await weak.pullAll()
            #expect(await weak.value("Game", id, "best") == 9)
            let equal = try await weak.push([.update("Game", id, ["best": 9], at: moment(3))])
            #expect(equal.verdicts == ["unchanged"])
        }
    }

    @Test func aDefaultIsNothingThatAnyoneWroteAndNullLoses() async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("3.0.0")
            try await device.push([.create("Game", id, at: moment(1))])
            try await device.push([.update("Game", id, ["points": -5, "fastest": nil], at: moment(2))])
            #expect(try await server.game(id)["best"] == -5)
            try await device.push([.update("Game", id, ["points": nil, "fastest": "3"], at: moment(3))])
            #expect(try await server.game(id, "3.0.0")["points"] == -5)
            #expect(try await server.game(id)["fastest"] == "3")
        }
    }

    @Test func everyVersionGetsAlongWithEveryOther() async throws {
        try await ScoresPlan.withServer { server in
            let seed = UInt64.random(in: 1...UInt64(Int64.max))
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
            let run = CompatRun(
                plan: server.plan, server: url, space: server.space.description, token: server.token, seed: seed)
            for outcome in try await run.run(writers: [0, 1, 2], readers: [0, 1, 2]) {
                #expect(outcome.isGreen, "\(outcome), seed \(seed)")
            }
        }
    }

    @Test func deletionIsStillDecidedByLiveness() async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("2.0.0")
            try await device.push([.create("Game", id, ["best": 5], at: moment(1)), .delete("Game", id, at: moment(3))])
            let answer = try await device.push([.update("Game", id, ["best": 9], at: moment(4))])
            #expect(answer.verdicts == ["superseded"])
            #expect(try await server.game(id).isEmpty)
            // Nothing was lost meanwhile.
            try await device.push([.create("Game", id, ["best": 1], at: moment(5))])
            #expect(try await server.game(id)["best"] == 9)
        }
    }

    /// A Double is as near as it can be to the Decimal that it is read of, perhaps above it.
    @Test(arguments: [[0, 1], [1, 0]])
    func whatAVersionReadsOfTheGreatestIsNotGreater(order: [Int]) async throws {
        try await withTestServer(LengthsPlan.self, migrations: try LengthsPlan.migrations()) { server in
            let edits: [(String, JSONValue)] = [("2.0.0", "0.09999999999999999999"), ("1.0.0", 0.1)]
            for index in order {
                try await server.device(edits[index].0).push([
                    .update("Rope", id, ["longest": edits[index].1, "shortest": edits[index].1], at: moment(2))
                ])
            }
            let rope = try #require(try await server.view("2.0.0")["Rope"]?[id.description])
            #expect(rope["longest"] == "0.09999999999999999999" && rope["shortest"] == "0.09999999999999999999")
            try await server.device("1.0.0").push([.update("Rope", id, ["longest": 0.2], at: moment(1))])
            #expect(try await server.view("2.0.0")["Rope"]?[id.description]?["longest"] == "0.2")
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func anOlderFormGoesWithTheWinner(order: [Int]) async throws {
        try await ScoresPlan.withServer { server in
            let edits: [(String, JSONValue)] = [("1.0.0", "12th of all"), ("2.0.0", 3)]
            for index in order {
                try await server.device(edits[index].0).push([
                    .update("Game", id, ["rank": edits[index].1], at: moment(Int64(index)))
                ])
            }
            #expect(try await server.game(id, "1.0.0")["rank"] == "12th of all")
            #expect(try await server.game(id, "2.0.0")["rank"] == 12)
            // Reading and writing back is no edit.
            let echo = try await server.device("2.0.0").send([.update("Game", id, ["rank": 12], at: moment(9))])
            #expect(echo.verdicts == ["unchanged"])
            #expect(try await server.game(id, "1.0.0")["rank"] == "12th of all")
        }
    }

    @Test func aUnionHasTheElementsOfAllAndItsDevicesReceiveIt() async throws {
        try await ScoresPlan.withServer { server in
            let (first, second) = (server.device("1.0.0"), server.device("3.0.0"))
            try await first.push([.create("Game", id, ["tags": ["red", "blue"]], at: moment(1))])
            try await first.pullAll()
            #expect(await first.value("Game", id, "tags") == ["blue", "red"])
            try await second.push([.update("Game", id, ["labels": ["green", "red"]], at: moment(0))])
            for device in [first, second] { try await device.pullAll() }
            #expect(await first.value("Game", id, "tags") == ["blue", "green", "red"])
            #expect(await second.value("Game", id, "labels") == ["blue", "green", "red"])
            // Nothing is removed by editing, and whoever tries receives an error.
            let removal = try await first.push([.update("Game", id, ["tags": ["red"]], at: moment(0))])
            #expect(removal.verdicts == ["unchanged"])
            try await first.pullAll()
            #expect(await first.value("Game", id, "tags") == ["blue", "green", "red"])
        }
    }
}

/// Numbers with policies that become exact.
private enum LengthsPlan: SchemaMigrationPlan {
    static let app = "lengths"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Rope.longest", using: .doubleToDecimal)
            Convert("Rope.shortest", using: .doubleToDecimal)
        }
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Rope") {
                Attribute("longest", .double, default: 0, merge: .max)
                Attribute("shortest", .double, default: 0, merge: .min)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Rope") {
                Attribute("longest", .decimal, default: 0, merge: .max)
                Attribute("shortest", .decimal, default: 0, merge: .min)
            }
        }
    }
}

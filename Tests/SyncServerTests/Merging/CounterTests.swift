import Operations
import StrictJSON
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Attributes whose edits are increments: all of them count, each once.
@Suite struct CounterTests {
    private let id = ID.random()
    private let clock = TestWallClock(seconds: 1_900_000_000)

    @Test func incrementsOfAllDevicesCountInEveryOrder() async throws {
        try await ScoresPlan.withServer { server in
            let (first, second) = (server.device("2.0.0"), server.device("3.0.0"))
            try await second.push([.count("Game", id, ["count": 2], at: moment(5))])
            try await first.push([.create("Game", id, ["count": 10], at: moment(1))])
            try await first.push([.count("Game", id, ["count": -3, "wins": 1], at: moment(2))])
            for device in [first, second] {
                try await device.pullAll()
                #expect(await device.value("Game", id, "count") == 9)
            }
            #expect(try await server.game(id, "1.0.0")["count"] == 9)
            #expect(try await server.game(id)["wins"] == 1)
        }
    }

    @Test(arguments: [0, 3, 400])
    func aRetryCountsNothingHoweverLateAndWithWhateverElse(secondsLater: Int64) async throws {
        try await ScoresPlan.withServer(now: clock.now) { server in
            let device = server.device("2.0.0")
            // The second one is too far ahead of the server, and gets another stamp.
            let changes: [JSONValue] = [
                .create("Game", id, ["count": 10], at: clock.stamp(ahead: 0)),
                .count("Game", id, ["count": 2], at: clock.stamp(ahead: 350)),
                .count("Game", id, ["wins": 1], at: clock.stamp(ahead: 1)),
            ]
            try await device.push(changes)
            clock.advance(seconds: 1)
            try await server.device("2.0.0").push([.count("Game", id, ["count": 5], at: clock.stamp(ahead: 0))])
            clock.advance(seconds: secondsLater)
            let before = try await server.contents()
            let whole = try await device.send(changes)
            #expect(whole.verdicts == ["unchanged", "unchanged", "unchanged"])
            #expect(try await server.contents() == before)
            let part = try await device.send([
                changes[1], .update("Game", id, ["name": "x"], at: clock.stamp(ahead: 2)),
            ])
            #expect(part.verdicts == ["unchanged", "applied"])
            #expect(try await server.game(id)["count"] == 17)
            // Another device's increment with the same stamp is another one.
            try await server.device("2.0.0").push([changes[2]])
            #expect(try await server.game(id)["wins"] == 2)
        }
    }

    @Test func aCreationThatSeveralDevicesReportBeginsOnce() async throws {
        try await ScoresPlan.withServer { server in
            let create = JSONValue.create("Game", id, ["count": 10], at: moment(1))
            for version in ["2.0.0", "1.0.0"] { try await server.device(version).push([create]) }
            #expect(try await server.game(id)["count"] == 10)
            try await server.device("2.0.0").push([.create("Game", id, ["count": 1], at: moment(2))])
            #expect(try await server.game(id)["count"] == 11)
        }
    }

    /// Each is another creation, also where two servers read the same time for them.
    @Test func creationsWithoutAStampCountThoughTwoServersGiveThemTheSameTime() async throws {
        try await ScoresPlan.withServer(now: clock.now) { server in
            let line = try ScoresPlan.migrations()
            try await server.withSecondServer(migrations: line, now: clock.now) { second in
                let create = JSONValue.create("Game", id, ["count": 10], at: nil)
                for server in [server, server.through(second)] { try await server.device("2.0.0").push([create]) }
            }
            #expect(try await server.game(id)["count"] == 20)
        }
    }

    /// A version that knows no counter says it again after `epoch-changed`, without a device and with the stamp that it
    /// was sent.
    @Test func whatSetsACounterPassesForNoCreationOfTheSameStamp() async throws {
        try await ScoresPlan.withServer { server in
            try await server.device("2.0.0").push([.create("Game", id, at: moment(1))])
            try await server.device("1.0.0", id: nil).push([.update("Game", id, ["count": 47], at: moment(5))])
            try await server.device("2.0.0").push([.create("Game", id, ["count": 10], at: moment(5))])
            #expect(try await server.game(id)["count"] == 57)
        }
    }

    /// P2. The answer was lost, and the device pulled before it sent the creation again: its own number is on top of
    /// the sum that it was sent.
    @Test(arguments: ["1.0.0", "2.0.0"])
    func aRepeatedCreationOfAnExistingRecordReturnsTheSum(version: String) async throws {
        try await ScoresPlan.withServer { server in
            try await server.device("2.0.0").push([.create("Game", id, ["count": 100], at: moment(1))])
            let device = server.device(version)
            try await device.pullAll()
            let create = JSONValue.create("Game", id, ["count": 34], at: moment(5))
            try await device.send([create])
            try await device.pullAll()
            #expect(try await device.push([create]).verdicts == ["unchanged"])
            try await device.pullAll()
            #expect(await device.value("Game", id, "count") == 134)
        }
    }

    @Test func increasesThatCancelOutAreRememberedToo() async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("2.0.0")
            try await device.push([.create("Game", id, at: moment(1)), .count("Game", id, ["count": 1], at: moment(9))])
            let changes: [JSONValue] = [
                .count("Game", id, ["count": 4], at: moment(2)), .count("Game", id, ["count": -4], at: moment(3)),
            ]
            try await device.push(changes)
            try await device.send([changes[0]])
            #expect(try await server.game(id)["count"] == 1)
        }
    }

    @Test func whatCannotCountIsRejectedAndTheRestGoesOn() async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("2.0.0")
            try await device.push([.create("Game", id, ["count": .int(.max - 1)], at: moment(1))])
            let answer = try await device.push([
                .count("Game", id, ["count": 1], at: nil),
                .count("Game", id, ["best": 1], at: moment(2)),
                .count("Game", id, ["losses": 1], at: moment(2)),
                .count("Game", id, ["count": 1.5], at: moment(2)),
                .update("Game", id, ["count": 7], at: moment(2)),
                .delete("Game", id, at: moment(2)).with("increments", ["count": 1]),
                .update("Game", id, at: moment(2)).with("increments", [1]),
                .count("Game", id, ["wins": 1, "count": 2], at: moment(2)),
                .count("Game", id, ["count": 1], at: moment(3)),
            ])
            #expect(
                answer.codes == [
                    0: "missing-stamp", 1: "not-a-counter", 2: "unknown-attribute", 3: "wrong-type", 4: "counter-set",
                    5: "malformed-change", 6: "malformed-change", 7: "counter-overflow",
                ])
            let game = try await server.game(id)
            #expect(game["count"] == .int(.max) && game["wins"] == 0, "nothing of a rejected change is there")
            let nobody = try await server.device("2.0.0", id: nil).push([.count("Game", id, ["wins": 1], at: moment(4))]
            )
            #expect(nobody.codes == [0: "missing-device"])
        }
    }

    @Test func aVersionThatKnowsNoCountersSetsThemByTheDifference() async throws {
        try await ScoresPlan.withServer { server in
            let (old, new) = (server.device("1.0.0"), server.device("2.0.0"))
            try await old.push([.create("Game", id, ["count": 3], at: moment(1))])
            try await new.push([.count("Game", id, ["count": 2], at: moment(2))])
            try await old.pullAll()
            #expect(try await old.push([.update("Game", id, ["count": 5], at: moment(3))]).verdicts == ["unchanged"])
            let edit = JSONValue.update("Game", id, ["count": 6], at: moment(4))
            #expect(try await old.push([edit]).verdicts == ["applied"])
            try await new.push([.count("Game", id, ["count": 10], at: moment(3))])
            #expect(try await server.game(id)["count"] == 16)
            // Neither its retry counts, nor what it set before others counted.
            #expect(try await old.send([edit]).verdicts == ["unchanged"])
            let late = try await old.push([.update("Game", id, ["count": 0], at: moment(2))])
            #expect(late.verdicts == ["superseded"])
            try await old.pullAll()
            #expect(await old.value("Game", id, "count") == 16)
        }
    }

    @Test func anImportCountsOnlyWhereNobodyHas() async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("2.0.0")
            try await device.push([.create("Game", id, ["count": 3], at: moment(1))])
            try await device.push([.count("Game", id, ["count": 4], at: moment(2))])
            let copy = ID.random()
            try await server.withEngine { engine in
                let export = try await SpaceExport(engine: engine, space: server.space, version: 1).run()
                let content = try ImportContent(export, plan: server.plan)
                for space in [server.space, copy, copy] {
                    _ = try await SpaceImport(engine: engine, space: space).run(
                        content.items, version: content.version)
                    let again = try await SpaceExport(engine: engine, space: space, version: 1).run()
                    #expect(again == export)
                }
            }
            #expect(try await server.game(id)["count"] == 7)
        }
    }

    /// The count that the creation began with is a part of what the export says.
    @Test func aCreationThatArrivesLateAfterAnExportElsewhereCountsNothing() async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("2.0.0")
            let creation = JSONValue.create("Game", id, ["count": 3], at: moment(1))
            try await device.push([creation])
            try await device.push([.count("Game", id, ["count": 4], at: moment(2))])
            try await server.withEngine { engine in
                for version in 0...2 {
                    let copy = ID.random()
                    let export = try await SpaceExport(engine: engine, space: server.space, version: version).run()
                    let content = try ImportContent(export, plan: server.plan)
                    let transfer = SpaceImport(engine: engine, space: copy)
                    _ = try await transfer.run(content.items, version: content.version)
                    let caller = SyncEngine.Caller(space: copy, version: 1, device: .random())
                    let changes = try JSONDocument(parsing: JSONValue.array([creation]).bytes)
                    for _ in 0..<2 {
                        let answer = try await engine.push(changes.root, cursor: nil, as: caller)
                        #expect(answer.verdicts == [.unchanged])
                    }
                    let again = try await SpaceExport(engine: engine, space: copy, version: version).run()
                    #expect(again == export)
                }
            }
        }
    }

    @Test func whatWasAppliedIsForgottenWithOldTombstones() async throws {
        try await ScoresPlan.withServer(now: clock.now) { server in
            let device = server.device("2.0.0")
            try await device.push([.count("Game", id, ["count": 1], at: moment(1))])
            clock.advance(days: 179)
            try await server.collect()
            #expect(try await server.rowCount("sync.increment") == 1)
            clock.advance(days: 2)
            try await server.collect()
            #expect(try await server.rowCount("sync.increment") == 0)
        }
    }
}

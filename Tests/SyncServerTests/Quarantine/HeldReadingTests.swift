import DemoApps
import PGStore
import PlantedBugs
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// P1, R4: a held change writes, when it is replayed, what its user edited, and nothing that its device only said
/// again.
@Suite struct HeldReadingTests {
    private let id = ID.random()

    /// The code was text by then, of which 1.0.0 reads a number.
    @Test func theFormThatSaysMostSurvivesAReplay() async throws {
        try await withShop { server in
            let (phone, tablet) = (server.device("1.0.0"), server.device("2.0.0"))
            try await tablet.push([.create("Item", id, ["name": "a", "code": "007"], at: moment(1))])
            try await phone.pullAll()
            let held = JSONValue.update("Item", id, ["price": "13", "code": 7], at: moment(5))
            #expect(try await phone.push([held]).verdicts == ["held"])
            #expect(try await server.replay(NoFault.self) == ["applied"])
            #expect(try await server.view("2.0.0")["Item"]?[id.description]?["code"] == "007")
            #expect(try await server.view("1.0.0")["Item"]?[id.description]?["price"] == "13")
        }
    }

    /// An edit that somebody made meanwhile with an earlier stamp would have lost against the repetition, and with a
    /// later one would have won.
    @Test(arguments: [(Int64(3), "007"), (9, "x9")])
    func whatOthersEditedMeanwhileIsDecidedByStamps(at time: Int64, expected: String) async throws {
        try await withShop { server in
            let (phone, tablet) = (server.device("1.0.0"), server.device("2.0.0"))
            try await tablet.push([.create("Item", id, ["name": "a", "code": "007"], at: moment(1))])
            try await phone.pullAll()
            let held = JSONValue.update("Item", id, ["price": "13", "code": 7], at: moment(5))
            #expect(try await phone.push([held]).verdicts == ["held"])
            try await tablet.push([.update("Item", id, ["code": "x9"], at: moment(time))])
            _ = try await server.replay(NoFault.self)
            #expect(try await server.view("2.0.0")["Item"]?[id.description]?["code"] == .string(expected))
            #expect(try await server.view("1.0.0")["Item"]?[id.description]?["price"] == "13")
        }
    }

    /// It read as null while its target was not there.
    @Test(arguments: [nil, "whole"])
    func aReferenceWhoseTargetCameLaterIsNotErased(mode: String?) async throws {
        try await withTestServer { server in
            let parent = try await holdReadingWithoutTarget(server, mode: mode)
            let replayed = try await server.withEngine { try await $0.replay(in: server.space) }
            #expect(replayed.map(\.verdict.name) == ["applied"])
            let item = try await server.view("0.0.9")["SDMealLogItem"]?[id.description]
            #expect(item?["mealLog"] == .id(parent) && item?["name"] == "secret")
        }
    }

    @Test func aReplayWithoutTheReadingErasesTheReference() async throws {
        try await withTestServer { server in
            _ = try await holdReadingWithoutTarget(server, mode: nil)
            let run = try await CommandRun(
                ["quarantine", "replay", "--all"], database: server.database.connectionString,
                environment: ["SYNCSERVER_PLANT": PlantedBug.replayForgetsReading.rawValue])
            #expect(run.output.contains("1 merged, 0 stay"), "\(run.output)\(run.errors)")
            let item = try await server.view("0.0.9")["SDMealLogItem"]?[id.description]
            #expect(item?["mealLog"]?.isNull == true && item?["name"] == "secret")
        }
    }

    /// Quarantines an edit of a record whose reference its device read as null, because the target did not exist, and
    /// creates the target. Nothing prevents the edit any more.
    ///
    /// - Returns: the target's id.
    private func holdReadingWithoutTarget(_ server: TestServer, mode: String?) async throws -> ID {
        let (parent, device) = (ID.random(), server.device("0.0.9", mode: mode))
        try await server.device("0.0.6").push([
            .create("SDMealLogItem", id, ["mealLog": .id(parent)], at: moment(2))
        ])
        try await device.pullAll()
        var fields = try #require(await device.store["SDMealLogItem"]?[id.description])
        #expect(fields["mealLog"]?.isNull == true)
        fields["name"] = "secret"
        try await server.asOwner(
            "ALTER TABLE fitiq.sd_meal_log_item ADD CONSTRAINT fixed CHECK (name NOT LIKE 'secret%')")
        let held = try await device.push([.update("SDMealLogItem", id, fields, at: moment(5))])
        #expect(held.verdicts == ["held"])
        try await server.device("0.0.9").push([.create("SDMeal", parent, at: moment(9))])
        try await server.asOwner("ALTER TABLE fitiq.sd_meal_log_item DROP CONSTRAINT fixed")
        return parent
    }

    /// The second of two held changes takes back what the first one wrote: that is no repetition.
    @Test func whatAHeldChangeEditedIsNotRepeatedByTheNext() async throws {
        try await withShop { server in
            let (phone, tablet) = (server.device("1.0.0"), server.device("2.0.0"))
            try await tablet.push([.create("Item", id, ["name": "a", "code": "007"], at: moment(1))])
            try await phone.pullAll()
            let held = try await phone.push([
                .update("Item", id, ["price": "13", "code": 8], at: moment(5)),
                .update("Item", id, ["price": "13", "code": 7], at: moment(6)),
            ])
            #expect(held.verdicts == ["held", "held"])
            #expect(try await server.replay(NoFault.self) == ["applied", "applied"])
            #expect(try await server.view("2.0.0")["Item"]?[id.description]?["code"] == "7")
        }
    }

    /// A whole record that is held, and the next one of its device, which takes back what that one said: nobody but the
    /// device has seen it, so that the record says all along what the second one says.
    @Test(arguments: [(false, "0", "7"), (true, "13", "8")])
    func whatTheNextWholeRecordTakesBackIsNotReplayed(byAnother: Bool, price: String, code: String) async throws {
        try await withShop { server in
            let phone = server.device("1.0.0", mode: "whole")
            let next = byAnother ? server.device("1.0.0", mode: "whole") : phone
            let record: [String: JSONValue] = ["name": "a", "price": "0", "code": 7]
            try await phone.push([.create("Item", id, record, at: moment(1))])
            try await phone.pullAll()
            try await next.pullAll()
            let edited = record.merging(["price": "13", "code": 8]) { $1 }
            #expect(try await phone.push([.update("Item", id, edited, at: moment(5))]).verdicts == ["held"])
            let back = JSONValue.update("Item", id, record.merging(["note": "n"]) { $1 }, at: moment(6))
            #expect(try await next.push([back]).verdicts == ["applied"])
            _ = try await server.replay(NoFault.self)
            let item = try await server.view("1.0.0")["Item"]?[id.description]
            #expect(item?["price"] == .string(price) && item?["code"]?.int == Int64(code) && item?["note"] == "n")
            // It is judged once, as if it had not been held.
            #expect(try await phone.push([.update("Item", id, edited, at: moment(5))]).verdicts == ["unchanged"])
        }
    }

    /// It is held, arrives again when nothing prevents it, and then once more: it is judged once.
    @Test func aWholeRecordThatArrivesAgainIsMergedOnce() async throws {
        try await withTestServer { server in
            let (phone, other) = (server.device("0.0.9", mode: "whole"), server.device("0.0.9"))
            try await phone.push([.create("SDMealLogItem", id, ["name": "a"], at: moment(1))])
            try await phone.pullAll()
            var fields = try #require(await phone.store["SDMealLogItem"]?[id.description])
            fields["name"] = "secret"
            let push = [JSONValue.update("SDMealLogItem", id, fields, at: moment(5))]
            try await server.asOwner(
                "ALTER TABLE fitiq.sd_meal_log_item ADD CONSTRAINT fixed CHECK (name NOT LIKE 'secret%')")
            #expect(try await phone.push(push).verdicts == ["held"])
            try await server.asOwner("ALTER TABLE fitiq.sd_meal_log_item DROP CONSTRAINT fixed")
            #expect(try await phone.push(push).verdicts == ["applied"])
            try await other.push([.update("SDMealLogItem", id, ["name": "b"], at: moment(6))])
            #expect(try await phone.push(push).verdicts == ["unchanged"])
        }
    }

    /// Both are held, in two pushes.
    @Test func whatAHeldWholeRecordEditedIsNotRepeatedByTheNext() async throws {
        try await withShop { server in
            let phone = server.device("1.0.0", mode: "whole")
            let record: [String: JSONValue] = ["name": "a", "price": "0", "code": 7]
            try await phone.push([.create("Item", id, record, at: moment(1))])
            try await phone.pullAll()
            for (code, stamp) in [(8, 5), (7, 6)] as [(Int64, Int64)] {
                let edited = record.merging(["price": "13", "code": .int(code)]) { $1 }
                #expect(try await phone.push([.update("Item", id, edited, at: moment(stamp))]).verdicts == ["held"])
            }
            _ = try await server.replay(NoFault.self)
            #expect(try await server.view("1.0.0")["Item"]?[id.description]?["code"] == 7)
        }
    }

    /// A held change counts as one without a reading where a server of the release before has held it, or SQL has made
    /// something else of its reading.
    @Test(arguments: [
        "NULL", "''", "'null'", "'{}'", #"'{"fields":[1],"values":{}}'"#,
        #"'{"fields":["code"],"values":{"code":{"a":1},"price":7,"none":null}}'"#,
    ])
    func whatIsNoReadingIsNone(text: String) async throws {
        try await withShop { server in
            let (phone, tablet) = (server.device("1.0.0"), server.device("2.0.0"))
            try await tablet.push([.create("Item", id, ["name": "a", "code": "007"], at: moment(1))])
            try await phone.pullAll()
            try await phone.push([.update("Item", id, ["price": "13", "code": 7], at: moment(5))])
            try await server.asOwner("UPDATE sync.quarantine SET reading = \(text)")
            #expect(try await server.replay(NoFault.self) == ["applied"])
            #expect(try await server.view("1.0.0")["Item"]?[id.description]?["price"] == "13")
        }
    }

    /// Every version of every demo app holds records that another wrote, and sends all that it has read with one edit,
    /// while others edit the same and what was referred to comes.
    @Test(arguments: DemoApps.all.map { $0.app }, [1, UInt64.random(in: 2 ... .max)])
    func aReplayEndsAsThePushWouldHave(app: String, seed: UInt64) async throws {
        let declaration = try #require(DemoApps.all.first { $0.app == app })
        try await withTestServer(declaration) { server in
            try await server.asOwner(HeldTrial.refusing(in: server.plan))
            var random = SplitMix64(seed: seed)
            for version in server.plan.shapes.indices {
                var trial = HeldTrial(server, version: version, seed: random.next())
                let (held, inTime) = try await trial.run()
                #expect(!held.isEmpty)
                for (one, other) in zip(held, inTime) where one != other {
                    Issue.record("seed \(seed), \(server.plan.name(of: version)):\n\(one)\nnot\n\(other)")
                }
                #expect(held.count == inTime.count)
            }
        }
    }
}

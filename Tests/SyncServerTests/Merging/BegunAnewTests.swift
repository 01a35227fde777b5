import SyncTestSupport
import Testing
import WireFormats

/// Tests of records that are created again by who knew of the deletion: they begin anew, as clients leave out nulls.
@Suite struct BegunAnewTests {
    private let id = ID.random()
    private static let edits: [[String: JSONValue]] = [
        ["notes": "old"], ["quantity": 7], ["quantity": 7, "unit": "kg"], ["name": "Bread"],
    ]

    @Test(arguments: ["one push", "two pushes", "another device", "whole"])
    func whatTheNewCreationLeavesOutIsNotWhatWasDeleted(manner: String) async throws {
        try await withTestServer { server in
            let first = server.device(mode: manner == "whole" ? "whole" : nil)
            try await first.push([.create("SDMeal", id, ["notes": "old", "mealType": "lunch"], at: moment(1))])
            let changes: [JSONValue] = [
                .delete("SDMeal", id, at: moment(2)), .create("SDMeal", id, ["mealType": "lunch"], at: moment(3)),
            ]
            if manner == "one push" {
                try await first.push(changes)
            } else {
                try await first.push([changes[0]])
                let second = manner == "another device" ? server.device() : first
                if manner == "another device" { try await second.pullAll() }
                try await second.push([changes[1]])
            }
            for version in ["0.0.7", "0.1.1"] {
                let meal = try #require(try await server.view(version)["SDMeal"]?[id.description])
                #expect(meal["notes"] == .null && meal["mealType"] == "lunch")
            }
            // What was said before stays gone, however late it arrives.
            try await first.send([
                .create("SDMeal", id, ["notes": "old"], at: moment(1)),
                .update("SDMeal", id, ["notes": "older", "rawInput": "r"], at: moment(1)),
            ])
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description]?["notes"] == .null)
            // And edits from then on win.
            try await server.device().push([.update("SDMeal", id, ["notes": "new"], at: moment(4))])
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description]?["notes"] == "new")
        }
    }

    /// A number that somebody set meanwhile, and the new record's own, which happens to be the same.
    @Test(arguments: ["whole", nil])
    func aCounterThatBeginsAnewWithTheSameValueIsNoRepetition(mode: String?) async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("2.0.0", id: .random(), mode: mode)
            try await device.push([
                .create("Game", id, ["count": 5], at: moment(1)), .delete("Game", id, at: moment(3)),
            ])
            try await server.device("1.0.0").push([.update("Game", id, ["count": 7], at: moment(4))])
            try await device.pullAll()
            try await device.push([.create("Game", id, ["count": 7], at: moment(5))])
            #expect(try await server.game(id)["count"] == 14)
        }
    }

    /// Increments from before the deletion count however late they arrive, and are repeated by a version that knows
    /// no counter.
    @Test func aCounterThatBeganAnewIsSaidAgainWithItsStamp() async throws {
        try await ScoresPlan.withServer { server in
            let (device, old) = (server.device("2.0.0"), server.device("1.0.0", id: nil))
            try await device.push([
                .create("Game", id, ["count": 5], at: moment(1)), .delete("Game", id, at: moment(3)),
            ])
            try await device.push([.create("Game", id, ["name": "anew"], at: moment(4))])
            let late = JSONValue.update("Game", id, at: moment(2)).with("increments", .object(["count": 8]))
            try await server.device("2.0.0").push([late])
            let received = try await old.pullAll()[0]
            let stamp = try #require(received["stamps"]["count"].int ?? received["stamp"].int)
            let count = received["fields"]["count"]
            #expect(count == 8 && stamp == moment(2))
            let before = try await server.contents()
            let echo = JSONValue.update("Game", id, ["count": count], at: stamp)
            #expect(try await old.send([echo]).verdicts == ["unchanged"])
            #expect(try await server.contents() == before)
        }
    }

    /// Stamps of two devices are equal where they were given in one millisecond.
    @Test(arguments: edits)
    func whatWasSaidAsItWasDeletedDoesNotComeBack(fields: [String: JSONValue]) async throws {
        try await withTestServer { server in
            let (device, other) = (server.device("0.1.1"), server.device("0.1.1"))
            let entity = fields["notes"] == nil ? "SDMealLogItem" : "SDMeal"
            let edit = JSONValue.update(entity, id, fields, at: moment(2))
            try await other.push([.create(entity, id, at: moment(1)), edit])
            try await device.push([.delete(entity, id, at: moment(2))])
            try await device.pullAll()
            try await device.push([.create(entity, id, at: moment(3))])
            let before = try await server.view("0.1.1")
            try await other.send([edit])
            #expect(try await server.view("0.1.1") == before)
        }
    }

    /// Somebody has edited it since the deletion, and the device has read that.
    @Test func aCreationAnewRepeatsNothing() async throws {
        try await withTestServer { server in
            let (older, device) = (server.device("0.0.6"), server.device("0.1.1"))
            try await device.push([.create("SDMealLogItem", id, ["name": "Soup"], at: moment(1))])
            try await older.push([.update("SDMealLogItem", id, ["quantity": "02 cups"], at: moment(8))])
            try await device.pullAll()
            let item = try #require(try await server.view("0.1.1")["SDMealLogItem"]?[id.description])
            let said = ["quantity": item["quantity"] ?? .null, "unit": item["unit"] ?? .null]
            try await device.push([
                .delete("SDMealLogItem", id, at: moment(5)), .create("SDMealLogItem", id, said, at: moment(9)),
            ])
            #expect(try await server.view("0.0.6")["SDMealLogItem"]?[id.description]?["quantity"] == "2 cups")
        }
    }

    /// The reference of before led to nothing, which the new one does not; both changes come in one push.
    @Test(arguments: [nil, "whole"])
    func aNewReferenceCanBeTakenBackAtOnce(mode: String?) async throws {
        try await withTestServer { server in
            let (device, link) = (server.device(mode: mode), "dietaryAndActivityPreferences")
            let (entity, target) = ("SDUserProfileV11", "SDDietaryAndActivityPreferences")
            let (old, new) = (ID.random(), ID.random())
            try await device.push([old, new].map { .create(target, $0, at: moment(1)) })
            try await device.push([.create(entity, id, [link: .id(old)], at: moment(1))])
            try await device.push([.delete(target, old, at: moment(2))])
            try await device.push([.delete(entity, id, at: moment(3))])
            try await device.pullAll()
            try await device.push([
                .create(entity, id, [link: .id(new)], at: moment(4)), .update(entity, id, [link: nil], at: moment(5)),
            ])
            #expect(try await server.view("0.1.1")[entity]?[id.description]?[link] == .null)
        }
    }

    /// Such a device merges its record into what there is, as it would if the deletion had not come between.
    @Test func whoDidNotKnowOfTheDeletionLosesNothing() async throws {
        try await withTestServer { server in
            let (device, other) = (server.device(), server.device())
            try await device.push([.create("SDMeal", id, ["notes": "old"], at: moment(1))])
            try await device.pullAll()
            try await other.push([.delete("SDMeal", id, at: moment(2))])
            try await device.push([.create("SDMeal", id, ["mealType": "lunch"], at: moment(3))])
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description]?["notes"] == "old")
        }
    }

    @Test func aPartIsNotWhatWasDeletedEither() async throws {
        try await withTestServer { server in
            let device = server.device("0.1.1")
            try await device.push([.create("SDMealLogItem", id, ["quantity": 2, "unit": "cups"], at: moment(1))])
            try await device.push([.delete("SDMealLogItem", id, at: moment(3))])
            // The number was changed by somebody who did not know.
            try await server.device().push([.update("SDMealLogItem", id, ["quantity": 5], at: moment(4))])
            try await device.pullAll()
            try await device.push([.create("SDMealLogItem", id, ["name": "Soup"], at: moment(5))])
            let fresh = ID.random()
            try await device.push([.create("SDMealLogItem", fresh, ["name": "Soup"], at: moment(5))])
            let items = try #require(try await server.view("0.1.1")["SDMealLogItem"])
            #expect(items[id.description]?["quantity"] == 5)
            #expect(items[id.description]?["unit"] == items[fresh.description]?["unit"])
        }
    }

    @Test func policiesBeginAnewToo() async throws {
        try await ScoresPlan.withServer { server in
            let device = server.device("2.0.0")
            let fields: [String: JSONValue] = ["best": 9, "tags": ["a"], "count": 3, "name": "n"]
            let first = JSONValue.create("Game", id, fields, at: moment(1))
            try await device.push([first])
            try await device.push([.delete("Game", id, at: moment(2))])
            try await device.push([.create("Game", id, ["count": 1, "best": 4], at: moment(3))])
            for _ in 0..<2 {
                let game = try await server.game(id)
                #expect(game["best"] == 4 && game["tags"] == [] && game["count"] == 1 && game["name"] == "")
                try await device.send([first])
            }
        }
    }
}

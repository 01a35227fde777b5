import SyncTestSupport
import Testing
import WireFormats

/// Each attribute merges by itself, and the later stamp wins: see docs/protocol.md, *Merging*.
@Suite struct MergeTests {
    private let item = ID.random()

    @Test func editsOfDifferentAttributesByDifferentVersionsBothSurvive() async throws {
        try await withTestServer { server in
            let (old, new) = (server.device("0.0.7"), server.device("0.1.1"))
            try await old.push([.create("SDMealLogItem", item, ["name": "Soup", "calories": 100], at: moment(1))])
            try await new.pullAll()
            try await old.push([.update("SDMealLogItem", item, ["name": "Stew"], at: moment(3))])
            let answer = try await new.push([.update("SDMealLogItem", item, ["calories": 310], at: moment(2))])
            #expect(answer.verdicts == ["applied"])
            for version in ["0.0.7", "0.0.8", "0.1.1"] {
                let view = try await server.view(version)["SDMealLogItem"]?[item.description]
                #expect(view?["name"] == "Stew" && view?["calories"] == 310, "\(version)")
            }
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func theLaterStampWinsInEitherOrderOfArrival(order: [Int]) async throws {
        try await withTestServer { server in
            let edits: [(String, JSONValue)] = [
                ("0.0.7", .update("SDMealLogItem", item, ["name": "Earlier", "calories": 1], at: moment(2))),
                ("0.1.1", .update("SDMealLogItem", item, ["name": "Later"], at: moment(3))),
            ]
            try await server.device().push([.create("SDMealLogItem", item, ["name": "First"], at: moment(1))])
            for index in order { try await server.device(edits[index].0).push([edits[index].1]) }
            let view = try await server.view("0.0.8")["SDMealLogItem"]?[item.description]
            #expect(view?["name"] == "Later" && view?["calories"] == 1)
        }
    }

    @Test func equalStampsHaveTheSameWinnerInEitherOrderOfArrival() async throws {
        try await withTestServer { server in
            var names: Set<JSONValue?> = []
            for order in [["Ant", "Bee"], ["Bee", "Ant"]] {
                let id = ID.random()
                for name in order {
                    try await server.device().push([
                        .update("SDMealLogItem", id, ["name": .string(name)], at: moment(1))
                    ])
                }
                names.insert(try await server.view("0.1.1")["SDMealLogItem"]?[id.description]?["name"])
            }
            #expect(names.count == 1)
        }
    }

    @Test func aDeviceThatLosesAgainstWhatItHadReadIsSentItAgainAndOnlyOnce() async throws {
        try await withTestServer { server in
            let (right, slow) = (server.device("0.1.1"), server.device("0.0.7"))
            try await right.push([.create("SDMealLogItem", item, ["name": "Right"], at: moment(5))])
            try await slow.pullAll()
            // A clock that is behind, and an app that does not correct it: the edit is earlier than what it read.
            let edit = JSONValue.update("SDMealLogItem", item, ["name": "Slow"], at: moment(2))
            let before = await slow.cursor
            #expect(try await slow.push([edit]).verdicts == ["superseded"])
            try await slow.pullAll()
            #expect(await slow.value("SDMealLogItem", item, "name") == "Right")
            let contents = try await server.contents()
            _ = try await slow.send([edit], cursor: before)
            #expect(try await server.contents() == contents, "a retry of the whole request is no news")
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func linkedAttributesMergeAsOne(order: [Int]) async throws {
        try await withTestServer { server in
            let edits: [(String, JSONValue)] = [
                ("0.0.7", .update("SDMealLogItem", item, ["quantity": "a handful"], at: moment(2))),
                ("0.0.8", .update("SDMealLogItem", item, ["quantity": 1.5, "unit": "cups"], at: moment(3))),
            ]
            try await server.device("0.0.7").push([.create("SDMealLogItem", item, ["quantity": "2 g"], at: moment(1))])
            for index in order { try await server.device(edits[index].0).push([edits[index].1]) }
            let text = try await server.view("0.0.7")["SDMealLogItem"]?[item.description]?["quantity"]
            let split = try await server.view("0.1.1")["SDMealLogItem"]?[item.description]
            #expect(text == "1.5 cups" && split?["quantity"] == 1.5 && split?["unit"] == "cups")
        }
    }

    @Test func eachVersionReadsBackToTheLetterWhatItWrote() async throws {
        try await withTestServer { server in
            let text = " 1 1/2\u{A0}cups "
            try await server.device("0.0.7").push([
                .create("SDMealLogItem", item, ["quantity": .string(text)], at: moment(1))
            ])
            let old = try await server.view("0.0.7")["SDMealLogItem"]?[item.description]
            let new = try await server.view("0.0.8")["SDMealLogItem"]?[item.description]
            #expect(old?["quantity"] == .string(text))
            #expect(new?["quantity"] == 1.5 && new?["unit"] == "cups")
        }
    }

    @Test(arguments: ["0.0.9", "0.1.0"])
    func anOldClientsEchoOfWholeRecordsChangesNothing(version: String) async throws {
        try await withTestServer { server in
            let new = server.device("0.1.1")
            try await new.push([
                .create("SDRecognizedFoodItem", item, ["foodName": "Rice", "calories": 206.4], at: moment(1)),
                .create("SDMoodEntry", item, ["value": 7], at: moment(1)),
                .create("SDMealLogItem", item, ["quantity": 0.333, "unit": "cup of tea"], at: moment(1)),
            ])
            let before = try await server.view("0.1.1")
            let old = server.device(version)
            try await old.pullAll()
            var echo: [JSONValue] = []
            for (entity, records) in await old.store {
                for fields in records.values { echo.append(.update(entity, item, fields, at: moment(5))) }
            }
            let answer = try await old.push(echo)
            #expect(answer.verdicts == ["unchanged", "unchanged", "unchanged"])
            #expect(try await server.view("0.1.1") == before)
            // Only how late it was said is news, once.
            let contents = try await server.contents()
            try await old.send(echo)
            #expect(try await server.contents() == contents)
        }
    }

    @Test("S5_07: attributes that a version no longer has survive its edits")
    func attributesThatAVersionCannotSeeSurviveItsEdits() async throws {
        try await withTestServer { server in
            try await server.device("0.0.5").push([
                .create(
                    "SDMoodEntry", item, ["valence": 0.25, "labels": ["calm"], "userID": "u1", "notes": "n"],
                    at: moment(1))
            ])
            let new = server.device("0.1.1")
            try await new.pullAll()
            try await new.push([.update("SDMoodEntry", item, ["notes": "edited"], at: moment(2))])
            let old = try await server.view("0.0.5")["SDMoodEntry"]?[item.description]
            #expect(old?["valence"] == 0.25 && old?["labels"] == ["calm"] && old?["userID"] == "u1")
            #expect(old?["notes"] == "edited")
        }
    }

    @Test func aChangeWithoutStampGetsTheServers() async throws {
        let now = Timestamp(microseconds: 1_900_000_000_000_000)
        try await withTestServer(now: { now }) { server in
            try await server.device().push([.create("SDMeal", item, ["notes": "a"], at: nil)])
            let changes = try await server.device().pullAll()
            let stamp = changes.first?["stamp"].int.map { Stamp(unchecked: $0) }
            #expect(stamp?.milliseconds == 1_900_000_000_000)
        }
    }
}

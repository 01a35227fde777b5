import Postgres
import SyncTestSupport
import Testing
import WireFormats

/// R4: what a device has read and says again is a repetition, and keeps the form that says most; what it has not read
/// it does not repeat.
@Suite struct RepetitionTests {
    private let id = ID.random()

    /// H3. 0.0.7 reads 0.0.8's meals as `other`.
    @Test(arguments: [[0, 1], [1, 0]])
    func anEditThatSaysWhatItsDeviceHasNotReadIsNoEcho(order: [Int]) async throws {
        try await withTestServer { server in
            let (old, new) = (server.device("0.0.7"), server.device("0.0.8"))
            try await new.push([.create("SDMeal", id, ["mealType": "lunch"], at: moment(1))])
            try await old.pullAll()
            try await new.push([.update("SDMeal", id, ["mealType": "brunch"], at: moment(1000))])
            let rest: [(TestDevice, JSONValue)] = [
                (old, .update("SDMeal", id, ["mealType": "other"], at: moment(5000))),
                (new, .update("SDMeal", id, ["mealType": "tea"], at: moment(3000))),
            ]
            for index in order { try await rest[index].0.push([rest[index].1]) }
            for version in ["0.0.7", "0.0.8"] {
                #expect(try await server.view(version)["SDMeal"]?[id.description]?["mealType"] == "other")
            }
        }
    }

    /// P4. A repetition is compared as what it says, though the values that it keeps say more. 0.0.7 reads what 0.1.1
    /// has as `other`.
    @Test(arguments: ["", "zzz"])
    func aRepetitionThatArrivesAgainDoesNotReplaceWhatStoodAgainstIt(richer: JSONValue) async throws {
        try await withTestServer { server in
            let (old, older) = (server.device("0.0.7"), server.device("0.0.6"))
            try await server.device("0.1.1").push([.create("SDMeal", id, ["mealType": richer], at: moment(1))])
            try await old.pullAll()
            let edits: [(TestDevice, JSONValue)] = [
                (old, .update("SDMeal", id, ["mealType": "other"], at: moment(1000))),
                (older, .update("SDMeal", id, ["mealType": "lunch"], at: moment(1000))),
            ]
            for (device, edit) in edits { try await device.push([edit]) }
            let before = try await server.view("0.1.1")["SDMeal"]?[id.description]?["mealType"]
            for (device, edit) in edits.reversed() + edits {
                try await device.send([edit])
                #expect(try await server.view("0.1.1")["SDMeal"]?[id.description]?["mealType"] == before)
            }
        }
    }

    /// A client that sends back all that it has read: what it did not change stays as it was written.
    @Test func whatItsDeviceHasReadIsLeftInTheFormThatSaysMost() async throws {
        try await withTestServer { server in
            let (old, new) = (server.device("0.0.7"), server.device("0.1.1"))
            try await old.push([.create("SDMealLogItem", id, ["quantity": "1 1/2 cups"], at: moment(1))])
            try await new.pullAll()
            let fields = try #require(await new.store["SDMealLogItem"]?[id.description])
            #expect(try await new.push([.update("SDMealLogItem", id, fields, at: moment(5))]).verdicts == ["unchanged"])
            #expect(try await server.view("0.0.7")["SDMealLogItem"]?[id.description]?["quantity"] == "1 1/2 cups")
            // Its own edit it holds, too, without having pulled.
            try await new.push([.update("SDMealLogItem", id, ["name": "Soup"], at: moment(6))])
            try await new.push([.update("SDMealLogItem", id, fields, at: moment(7))])
            #expect(try await server.view("0.0.7")["SDMealLogItem"]?[id.description]?["quantity"] == "1 1/2 cups")
        }
    }

    /// The number counts as the later edit, whether it arrives before or after the text that says the same.
    @Test(arguments: [[0, 1], [1, 0]])
    func whatIsSaidAnewIsWrittenInAllForms(order: [Int]) async throws {
        try await withTestServer { server in
            try await server.device("0.1.1").push([.create("SDMealLogItem", id, at: moment(1))])
            let edits: [(String, JSONValue)] = [
                ("0.0.7", .update("SDMealLogItem", id, ["quantity": "1 1/2 cups"], at: moment(2))),
                ("0.1.1", .update("SDMealLogItem", id, ["quantity": 1.5, "unit": "cups"], at: moment(3))),
            ]
            for index in order { try await server.device(edits[index].0).push([edits[index].1]) }
            #expect(try await server.view("0.0.7")["SDMealLogItem"]?[id.description]?["quantity"] == "1.5 cups")
        }
    }

    /// As of an app that went back to an older version. Neither has read what the push itself makes of the record.
    @Test(arguments: [true, false], [true, false])
    func whatAnotherVersionSaidInTheSamePushIsNotRead(isNew: Bool, isOnePush: Bool) async throws {
        try await withTestServer { server in
            let device = server.device("0.1.1")
            if !isNew {
                try await server.device("0.0.6").push([
                    .create("SDMeal", id, ["syncStatus": "syncing"], at: moment(1))
                ])
                try await device.pullAll()
            }
            let changes: [JSONValue] = [
                .create("SDMeal", id, ["syncStatus": "soon"], at: moment(2)),
                .update("SDMeal", id, ["syncStatus": "pending"], at: moment(3), in: "0.0.6"),
            ]
            for push in isOnePush ? [changes] : changes.map({ [$0] }) { try await device.push(push) }
            // 0.0.6 reads what it does not know as ‘pending’.
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description]?["syncStatus"] == "pending")
        }
    }

    /// H4: a reference to what is not there yet reads as null.
    @Test func aReferenceThatReadsAsNullIsNotErasedByWhoSendsItBack() async throws {
        try await withTestServer { server in
            let (parent, device) = (ID.random(), server.device("0.0.9"))
            try await server.device("0.0.6").push([
                .create("SDMealLogItem", id, ["mealLog": .id(parent)], at: moment(2))
            ])
            try await device.pullAll()
            let fields = try #require(await device.store["SDMealLogItem"]?[id.description])
            #expect(fields["mealLog"]?.isNull == true)
            #expect(
                try await device.push([.update("SDMealLogItem", id, fields, at: moment(5))]).verdicts == ["unchanged"])
            try await server.device("0.0.9").push([.create("SDMeal", parent, at: moment(9))])
            #expect(try await server.view("0.0.9")["SDMealLogItem"]?[id.description]?["mealLog"] == .id(parent))
        }
    }

    /// The user removes a link while another device deletes what it leads to; and then that is created again. Who has
    /// pulled in between says what it reads by then, and must say that it is an edit.
    @Test(arguments: [true, false], [true, false])
    func aLinkThatItsUserRemovedStaysRemoved(pullsFirst: Bool, repeatsNothing: Bool) async throws {
        try await withTestServer { server in
            let (entity, target) = ("SDUserProfileV11", "SDDietaryAndActivityPreferences")
            let (name, preferences) = ("dietaryAndActivityPreferences", ID.random())
            let (device, other) = (server.device(), server.device())
            try await other.push([
                .create(target, preferences, at: moment(1)),
                .create(entity, id, [name: .id(preferences)], at: moment(1)),
            ])
            try await device.pullAll()
            let removal = JSONValue.update(entity, id, [name: nil], at: moment(3))
            try await other.push([.delete(target, preferences, at: moment(2))])
            if pullsFirst { try await device.pullAll() }
            let body: JSONValue = .object([
                "changes": .array([removal]), "cursor": .string(try #require(await device.cursor)),
            ])
            let reply = try await server.send(
                "POST",
                changing: ["Device-Id": device.id?.description, "Repetitions": repeatsNothing ? "none" : nil],
                body: body.bytes)
            #expect(reply.status == 200)
            try await other.push([.create(target, preferences, at: moment(4))])
            let isRemoved = try await server.view("0.1.1")[entity]?[id.description]?[name] == .null
            #expect(isRemoved == (!pullsFirst || repeatsNothing))
        }
    }

    /// H10: a phone four minutes fast; who has read its edit edits or deletes without a stamp.
    @Test func aChangeWithoutAStampIsLaterThanWhatIsThere() async throws {
        try await withTestServer { server in
            let ahead = Stamp(milliseconds: Timestamp.now.microseconds / 1000 + 240_000).rawValue
            try await server.device().push([.create("SDMeal", id, ["notes": "fast"], at: ahead)])
            let other = server.device()
            try await other.pullAll()
            #expect(try await other.push([.update("SDMeal", id, ["notes": "now"], at: nil)]).verdicts == ["applied"])
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description]?["notes"] == "now")
            let both: [JSONValue] = [
                .update("SDMeal", id, ["notes": "then"], at: nil), .update("SDMeal", id, ["notes": "last"], at: nil),
            ]
            #expect(try await other.push(both).verdicts == ["applied", "applied"])
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description]?["notes"] == "last")
            #expect(try await other.push([.delete("SDMeal", id, at: nil)]).verdicts == ["applied"])
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description] == nil)
        }
    }
}

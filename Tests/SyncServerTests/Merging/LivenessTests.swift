import SyncTestSupport
import Testing
import WireFormats

/// Tests that liveness is a register of its own, and that delete rules run on the hub: see docs/internals/rows.md,
/// *Liveness*.
@Suite struct LivenessTests {
    private let parent = ID.random()
    private let child = ID.random()

    @Test func anUpdateOfWhatWasNeverSeenStoresIt() async throws {
        try await withTestServer { server in
            let answer = try await server.device("0.0.6").push([
                .update("SDMeal", parent, ["notes": "told of"], at: moment(1))
            ])
            #expect(answer.verdicts == ["applied"])
            #expect(try await server.view("0.1.1")["SDMeal"]?[parent.description]?["notes"] == "told of")
        }
    }

    @Test func aDeleteOfWhatIsAbsentLeavesATombstone() async throws {
        try await withTestServer { server in
            #expect(try await server.device().push([.delete("SDMeal", parent, at: moment(2))]).verdicts == ["applied"])
            let pulled = try await server.device("0.0.6").pullAll()
            #expect(pulled.map { $0["op"] } == ["delete"] && pulled.first?["id"] == .id(parent))
            let late = try await server.device().push([.create("SDMeal", parent, ["notes": "late"], at: moment(1))])
            #expect(late.verdicts == ["superseded"])
            #expect(try await server.view("0.1.1")["SDMeal"]?.isEmpty != false)
        }
    }

    @Test func anUpdateNeverResurrectsButALaterCreateDoes() async throws {
        try await withTestServer { server in
            let device = server.device()
            try await device.push([.create("SDMeal", parent, ["notes": "1", "rawInput": "r"], at: moment(1))])
            try await device.push([.delete("SDMeal", parent, at: moment(2))])
            let update = try await device.push([.update("SDMeal", parent, ["notes": "3"], at: moment(3))])
            #expect(update.verdicts == ["superseded"])
            #expect(try await server.view("0.1.1")["SDMeal"]?.isEmpty != false)
            let create = try await device.push([.create("SDMeal", parent, ["rawInput": "again"], at: moment(4))])
            #expect(create.verdicts == ["applied"])
            let record = try await server.view("0.1.1")["SDMeal"]?[parent.description]
            // What was patched while it was dead is not missed.
            #expect(record?["notes"] == "3" && record?["rawInput"] == "again")
        }
    }

    @Test func aChildMayComeBeforeItsParent() async throws {
        try await withTestServer { server in
            let watcher = server.device("0.0.8")
            try await server.device("0.0.7").push([
                .create("SDMealLogItem", child, ["mealLog": .id(parent)], at: moment(1))
            ])
            try await watcher.pullAll()
            #expect(await watcher.value("SDMealLogItem", child, "mealLog") == .null)
            try await server.device("0.1.1").push([.create("SDMeal", parent, at: moment(2))])
            let pulled = try await watcher.pullAll()
            #expect(pulled.count == 2)
            #expect(await watcher.value("SDMealLogItem", child, "mealLog") == .id(parent))
        }
    }

    @Test func aReferenceToTheDeadReadsNullAndComesBackWithIt() async throws {
        try await withTestServer { server in
            let (writer, watcher) = (server.device("0.1.1"), server.device("0.0.4"))
            try await writer.push([
                .create("SDUserProfileV11", parent, ["dietaryAndActivityPreferences": .id(child)], at: moment(1)),
                .create("SDDietaryAndActivityPreferences", child, at: moment(1)),
            ])
            try await watcher.pullAll()
            let name = "dietaryAndActivityPreferences"
            #expect(await watcher.value("SDUserProfile", parent, name) == .id(child))
            try await writer.push([.delete("SDDietaryAndActivityPreferences", child, at: moment(2))])
            try await watcher.pullAll()
            #expect(await watcher.value("SDUserProfile", parent, name) == .null)
            try await writer.push([.create("SDDietaryAndActivityPreferences", child, at: moment(3))])
            try await watcher.pullAll()
            #expect(await watcher.value("SDUserProfile", parent, name) == .id(child))
        }
    }

    @Test func aChildThatArrivesAfterItsParentsCascadeIsDead() async throws {
        try await withTestServer { server in
            let device = server.device("0.0.8")
            try await device.push([.create("SDMeal", parent, at: moment(1))])
            try await device.push([.delete("SDMeal", parent, at: moment(2))])
            let late = try await server.device("0.0.7").push([
                .create("SDMealLogItem", child, ["mealLog": .id(parent)], at: moment(5))
            ])
            #expect(late.verdicts == ["superseded"])
            #expect(try await server.view("0.0.7")["SDMealLogItem"]?.isEmpty != false)
        }
    }

    @Test func aBatchMayDeleteAndCreateTheSameRecord() async throws {
        try await withTestServer { server in
            let (known, unknown) = (ID.random(), ID.random())
            try await server.device().push([.create("SDMeal", known, at: moment(1))])
            for id in [known, unknown] {
                try await server.device().push([
                    .delete("SDMeal", id, at: moment(2)), .create("SDMeal", id, ["notes": "new"], at: moment(3)),
                ])
            }
            let alive = try await server.view("0.1.1")["SDMeal"]
            #expect(alive?.count == 2 && alive?.values.allSatisfy { $0["notes"] == "new" } == true)
            for id in [known, unknown] {
                try await server.device().push([
                    .create("SDMeal", id, ["notes": "newer"], at: moment(4)), .delete("SDMeal", id, at: moment(5)),
                ])
            }
            #expect(try await server.view("0.1.1")["SDMeal"]?.isEmpty != false)
        }
    }
}

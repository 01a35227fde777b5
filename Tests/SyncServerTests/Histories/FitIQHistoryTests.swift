import SyncTestSupport
import Testing
import WireFormats

/// Tests of what FitIQ's guides warn of, between devices of its versions.
@Suite struct FitIQHistoryTests {
    private let profile = ID.random()
    private let photo = ID.random()
    private let food = ID.random()

    private var photographed: [JSONValue] {
        [
            .create("SDUserProfileV9", profile, ["name": "Ada", "bio": "Runs"], at: moment(1)),
            .create("SDPhotoRecognition", photo, ["userProfile": .id(profile), "notes": "lunch"], at: moment(1)),
            .create("SDRecognizedFoodItem", food, ["photoRecognition": .id(photo), "name": "Rice"], at: moment(1)),
        ]
    }

    @Test("S1_08: a whole profile of 0.0.8 leaves photos, and all else that it cannot see, as they were")
    func aWholeRecordTouchesOnlyWhatItsVersionSees() async throws {
        try await withTestServer { server in
            try await server.device("0.0.9").push(photographed)
            try await server.device("0.1.0").push([
                .update("SDUserProfileV10", profile, ["email": "a@b.c", "dailyCalorieGoal": 2100], at: moment(2))
            ])
            let before = try await server.view("0.1.1")
            let (old, watcher) = (server.device("0.0.8"), server.device("0.1.1"))
            try await old.pullAll()
            try await watcher.pullAll()
            var whole = try #require(await old.store["SDUserProfile"]?[profile.description])
            whole["name"] = "Ada L."
            #expect(
                try await old.push([.update("SDUserProfile", profile, whole, at: moment(5))]).verdicts == ["applied"])
            #expect(try await watcher.pullAll().map { $0["id"] } == [.id(profile)])
            var expected = before
            expected["SDUserProfileV11"]?[profile.description]?["name"] = "Ada L."
            #expect(try await server.view("0.1.1") == expected)
        }
    }

    @Test("S1_14: an id is the same id in upper case, as a record's, as a reference and as a value")
    func anIDInUpperCaseIsTheSame() async throws {
        try await withTestServer { server in
            let loud = JSONValue.string(photo.description.uppercased())
            try await server.device("0.0.9").push([
                .object([
                    "entity": "SDPhotoRecognition", "id": loud, "op": "create", "stamp": .int(moment(1)),
                    "fields": ["mealLogID": loud, "notes": "lunch"],
                ]),
                .create("SDRecognizedFoodItem", food, ["photoRecognition": loud], at: moment(1)),
                .update("SDPhotoRecognition", photo, ["notes": "dinner"], at: moment(2)),
            ])
            let view = try await server.view("0.0.9")
            #expect(view["SDPhotoRecognition"]?.keys.sorted() == [photo.description])
            let record = view["SDPhotoRecognition"]?[photo.description]
            #expect(record?["notes"] == "dinner" && record?["mealLogID"] == .id(photo))
            #expect(view["SDRecognizedFoodItem"]?[food.description]?["photoRecognition"] == .id(photo))
        }
    }

    @Test("S1_15: an outbox's events are refused by themselves, and sent to no version")
    func whatIsLocalIsRefused() async throws {
        try await withTestServer { server in
            for version in server.plan.schemas.indices.dropFirst(2) {
                let answer = try await server.device(version: version).push([
                    .create("SDOutboxEvent", .random(), at: moment(1)),
                    .create("SDPhysicalAttribute", photo, at: moment(1)),
                ])
                #expect(answer.codes == [0: "local-only"], "\(version)")
            }
            for version in server.plan.schemas.indices {
                let received = try await server.device(version: version).pullAll()
                #expect(received.map { $0["entity"] } == ["SDPhysicalAttribute"])
            }
        }
    }

    @Test(
        "S2_09: deleting everything, in any order and from any version, is a tombstone for each record and no more",
        arguments: [1, 2, UInt64.random(in: 3 ... .max)])
    func deletingEverythingLeavesNothing(seed: UInt64) async throws {
        try await withTestServer { server in
            var random = SplitMix64(seed: seed)
            var fleet = RandomFleet(server.plan, seed: seed)
            // Records of random age that refer to each other, in circles too: a profile and its preferences.
            for _ in 0..<6 {
                for version in [0, 3, 6, 8, 10] {
                    try await server.device(version: version).send(fleet.changes(by: version, count: 8))
                }
            }
            try await server.device("0.0.4").send([
                .create(
                    "SDUserProfile", profile, ["dietaryAndActivityPreferences": .id(food)], at: nil),
                .create("SDDietaryAndActivityPreferences", food, at: nil),
            ])
            let watchers = [server.device("0.0.4"), server.device("0.0.9"), server.device("0.1.1")]
            for watcher in watchers { try await watcher.pullAll() }

            let newest = try await server.view("0.1.1")
            var deletions = newest.flatMap { entity, records in
                records.keys.compactMap { id in ID(id).map { JSONValue.delete(entity, $0, at: nil) } }
            }
            deletions += deletions.shuffled(using: &random).prefix(5)
            for deletion in deletions.shuffled(using: &random) { try await server.device("0.1.1").send([deletion]) }

            for watcher in watchers {
                let held = await watcher.store.values.reduce(0) { $0 + $1.count }
                let received = try await watcher.pullAll()
                #expect(Set(received.map { $0["id"] }).count == received.count, "seed \(seed): one tombstone each")
                #expect(received.allSatisfy { $0["op"] == "delete" } && received.count == held && held > 0)
                #expect(await watcher.store.withoutEmpty == [:], "seed \(seed), \(watcher.version)")
                #expect(try await server.view(watcher.version).withoutEmpty == [:])
            }
        }
    }
}

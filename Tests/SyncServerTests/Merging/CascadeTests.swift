import SyncTestSupport
import Testing
import WireFormats

/// Tests that a cascade reaches entities that the deleting version lacks, whatever the order of arrival.
@Suite struct CascadeTests {
    private let profile = ID.random()
    private let photo = ID.random()
    private let food = ID.random()

    @Test("S1_07: a cascade reaches entities that the deleting version lacks, once")
    func aCascadeReachesEntitiesThatTheDeletingVersionLacks() async throws {
        try await withTestServer { server in
            let (older, oldest, newer) = (server.device("0.0.8"), server.device("0.0.8"), server.device("0.1.1"))
            try await server.device("0.0.9").push([
                .create("SDUserProfileV9", profile, ["name": "Ada"], at: moment(1)),
                .create("SDPhotoRecognition", photo, ["userProfile": .id(profile)], at: moment(1)),
                .create("SDRecognizedFoodItem", food, ["photoRecognition": .id(photo)], at: moment(1)),
            ])
            for device in [older, oldest, newer] { try await device.pullAll() }
            #expect(await newer.holds("SDRecognizedFoodItem", food))
            #expect(await older.store.keys.sorted() == ["SDUserProfile"])

            try await older.push([.delete("SDUserProfile", profile, at: moment(2))])
            let received = try await newer.pullAll()
            #expect(Set(received.map { $0["id"] }) == [.id(profile), .id(photo), .id(food)])
            #expect(received.allSatisfy { $0["op"] == "delete" })
            // Tombstones only of entities in the version's own view.
            #expect(try await oldest.pullAll().map { $0["entity"] } == ["SDUserProfile"])
            #expect(try await older.pullAll().isEmpty)

            let contents = try await server.contents()
            let again = try await older.push([.delete("SDUserProfile", profile, at: moment(2))])
            #expect(again.verdicts == ["unchanged"])
            #expect(try await server.contents() == contents)
            #expect(try await newer.pullAll().isEmpty)
        }
    }

    /// The references are those of two levels: an item of a photograph of a profile.
    @Test("S1_07: liveness and references do not depend on the order of arrival")
    func livesAndReferencesDoNotDependOnTheOrderOfArrival() async throws {
        let outcomes = try await outcomes(of: [
            { .create("SDUserProfileV9", $0.profile, ["name": "Ada", "createdAt": someDay], at: moment(1)) },
            {
                .create(
                    "SDPhotoRecognition", $0.photo,
                    ["userProfile": .id($0.profile), "createdAt": someDay, "loggedAt": someDay], at: moment(2))
            },
            { .delete("SDUserProfileV9", $0.profile, at: moment(3)) },
            { .update("SDPhotoRecognition", $0.photo, ["notes": "edited"], at: moment(4)) },
        ])
        #expect(outcomes.count == 1, "\(outcomes)")
        #expect(outcomes.first?.contains("Ada") == false && outcomes.first?.contains("edited") == false)
    }

    /// A profile takes its preferences along by its own reference; they may not refer back.
    @Test(arguments: [false, true], [false, true])
    func whatWentWithItsReferrerComesBackWithIt(wasDeletedItself: Bool, comesFirst: Bool) async throws {
        try await withTestServer { server in
            let device = server.device("0.0.4")
            let preferences = "SDDietaryAndActivityPreferences"
            try await device.push([
                .create("SDUserProfile", profile, ["dietaryAndActivityPreferences": .id(food)], at: moment(1)),
                .create(preferences, food, at: moment(1)),
            ])
            var deletions: [JSONValue] = [.delete("SDUserProfile", profile, at: moment(2))]
            if wasDeletedItself { deletions.append(.delete(preferences, food, at: moment(2))) }
            try await device.push(deletions)
            #expect(try await server.view("0.0.4").withoutEmpty.isEmpty)
            // What a creation leaves out of a record that its device has deleted is gone.
            var creations: [JSONValue] = [
                .create("SDUserProfile", profile, ["dietaryAndActivityPreferences": .id(food)], at: moment(3))
            ]
            if wasDeletedItself { creations.insert(.create(preferences, food, at: moment(3)), at: comesFirst ? 0 : 1) }
            try await device.push(creations)
            let view = try await server.view("0.0.4")
            #expect(view[preferences]?[food.description] != nil)
            #expect(view["SDUserProfile"]?[profile.description]?["dietaryAndActivityPreferences"] == .id(food))
        }
    }

    /// Its device was sent that the record went with its profile; what else it says only the server knows.
    @Test func aDeviceThatMovesARecordToALivingOwnerReceivesAllOfIt() async throws {
        try await withTestServer { server in
            let (device, other, owner) = (server.device("0.0.4"), server.device("0.0.4"), ID.random())
            try await other.push([
                .create("SDUserProfile", profile, at: moment(1)), .create("SDUserProfile", owner, at: moment(1)),
                .create("SDSleepSession", food, ["userProfile": .id(profile)], at: moment(1)),
            ])
            try await device.pullAll()
            try await other.push([.delete("SDUserProfile", profile, at: moment(2))])
            try await device.pullAll()
            #expect(await !device.holds("SDSleepSession", food))
            try await device.push([.update("SDSleepSession", food, ["userProfile": .id(owner)], at: moment(3))])
            try await device.pullAll()
            let view = try await server.view("0.0.4")
            #expect(await device.store.withoutEmpty == view.withoutEmpty)
            #expect(await device.holds("SDSleepSession", food))
        }
    }

    /// An edit of a dead profile merges like any other, and what goes with it follows.
    @Test(arguments: [false, true])
    func whatADeadRecordRefersToInsteadGoesWithIt(isCreatedAgain: Bool) async throws {
        try await withTestServer { server in
            let device = server.device("0.0.4")
            let preferences = "SDDietaryAndActivityPreferences"
            let other = ID.random()
            try await device.push([
                .create("SDUserProfile", profile, ["dietaryAndActivityPreferences": .id(food)], at: moment(1)),
                .create(preferences, food, at: moment(1)),
                .create(preferences, other, at: moment(1)),
            ])
            try await device.push([.delete("SDUserProfile", profile, at: moment(2))])
            #expect(try await server.view("0.0.4")[preferences]?.keys.sorted() == [other.description])
            let fields: [String: JSONValue] = ["dietaryAndActivityPreferences": .id(other)]
            try await device.push([
                isCreatedAgain
                    ? .create("SDUserProfile", profile, fields, at: moment(3))
                    : .update("SDUserProfile", profile, fields, at: moment(3))
            ])
            let living = isCreatedAgain ? [food, other] : [food]
            #expect(
                try await server.view("0.0.4")[preferences].map { Set($0.keys) } == Set(living.map(\.description)))
        }
    }

    @Test func aParentThatReturnsBringsItsChildrenBackWhateverTheOrder() async throws {
        let outcomes = try await outcomes(of: [
            { .create("SDUserProfileV9", $0.profile, ["name": "Ada", "createdAt": someDay], at: moment(1)) },
            {
                .create(
                    "SDPhotoRecognition", $0.photo,
                    ["userProfile": .id($0.profile), "createdAt": someDay, "loggedAt": someDay], at: moment(2))
            },
            { .delete("SDUserProfileV9", $0.profile, at: moment(3)) },
            { .update("SDPhotoRecognition", $0.photo, ["notes": "edited"], at: moment(4)) },
            { .create("SDUserProfileV9", $0.profile, ["name": "Ada again", "createdAt": someDay], at: moment(5)) },
        ])
        #expect(outcomes.count == 1, "\(outcomes)")
        #expect(outcomes.first?.contains("Ada again") == true && outcomes.first?.contains("edited") == true)
    }

    /// A create that leaves its defaults to the server, and an update that may come before it.
    @Test func whatACreateLeavesOutDoesNotDependOnTheOrderOfArrival() async throws {
        let outcomes = try await outcomes(of: [
            { .create("SDPhotoRecognition", $0.photo, ["notes": "n"], at: moment(1)) },
            { .update("SDPhotoRecognition", $0.photo, ["totalCalories": 3], at: moment(5000)) },
        ])
        #expect(outcomes.count == 1, "\(outcomes)")
    }

    private struct IDs {
        let profile = ID.random()
        let photo = ID.random()
    }

    /// The records visible after every order of these changes, each pushed by a device of its own, with the ids
    /// taken out.
    private func outcomes(of changes: [@Sendable (IDs) -> JSONValue]) async throws -> Set<String> {
        try await withTestServer { server in
            let client = server.device("0.0.9", id: nil)
            var all: [IDs] = []
            for order in permutations(Array(changes.indices)) {
                let ids = IDs()
                for index in order { try await client.send([changes[index](ids)]) }
                all.append(ids)
            }
            let views = [
                try await server.view("0.0.8"), try await server.view("0.0.9"), try await server.view("0.1.1"),
            ]
            return Set(
                all.map { ids in
                    let records = views.flatMap { view in
                        view.sorted { $0.key < $1.key }.flatMap { entity, records in
                            [ids.profile, ids.photo].compactMap { id in
                                records[id.description].map { "\(entity) \(JSONValue.object($0))" }
                            }
                        }
                    }
                    return records.joined(separator: "\n")
                        .replacing(ids.profile.description, with: "PROFILE")
                        .replacing(ids.photo.description, with: "PHOTO")
                })
        }
    }
}

private let someDay: JSONValue = "2026-01-31T08:00:00Z"

private func permutations(_ items: [Int]) -> [[Int]] {
    if items.count <= 1 { return [items] }
    return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
}

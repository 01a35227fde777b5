import SyncTestSupport
import Testing
import WireFormats

/// Creations are taken for new where the first of them is. What is wrong of that changes nothing of what becomes of
/// them.
@Suite struct TrustedCreationTests {
    private let known = ID.random()

    /// The first is new, so nobody looks for the others, and PostgreSQL finds one there.
    @Test func aKnownRecordAmongNewOnesIsMerged() async throws {
        try await withTestServer { server in
            try await server.device().push([
                .create("SDMeal", known, ["notes": "theirs", "rawInput": "theirs"], at: moment(2))
            ])
            let answer = try await server.device().push([
                .create("SDMeal", .random(), at: moment(1)),
                .create("SDMeal", known, ["notes": "mine", "errorMessage": "mine"], at: moment(1)),
                .create("SDMeal", .random(), at: moment(1)),
            ])
            #expect(answer.verdicts == ["applied", "merged", "applied"])
            let meals = try #require(try await server.view("0.1.1")["SDMeal"])
            #expect(meals.count == 3)
            let record = meals[known.description]
            #expect(record?["notes"] == "theirs" && record?["errorMessage"] == "mine")
        }
    }

    /// A retry is recognized by its first, and is not new to anyone.
    @Test func aRetryIsUnchanged() async throws {
        try await withTestServer { server in
            let device = server.device()
            let changes: [JSONValue] = [
                .create("SDMeal", known, at: moment(1)), .create("SDMeal", .random(), at: moment(1)),
                .create("SDMoodEntry", .random(), at: moment(1)), .create("SDMoodEntry", .random(), at: moment(1)),
            ]
            #expect(try await device.push(changes).verdicts == Array(repeating: "applied", count: 4))
            let before = try await server.contents()
            #expect(try await device.push(changes).verdicts == Array(repeating: "unchanged", count: 4))
            #expect(try await server.contents() == before)
        }
    }

    /// A creation of what the same push updates is not taken for new where it is there.
    @Test func aRecordThatIsAlsoUpdatedIsReadOnce() async throws {
        try await withTestServer { server in
            let device = server.device()
            try await device.push([.create("SDMeal", known, ["notes": "first"], at: moment(1))])
            let answer = try await device.push([
                .create("SDMeal", known, ["notes": "first"], at: moment(1)),
                .create("SDMeal", .random(), at: moment(1)),
                .update("SDMeal", known, ["notes": "second"], at: moment(2)),
            ])
            #expect(answer.verdicts == ["unchanged", "applied", "applied"])
            let record = try await server.view("0.1.1")["SDMeal"]?[known.description]
            #expect(record?["notes"] == "second")
        }
    }
}

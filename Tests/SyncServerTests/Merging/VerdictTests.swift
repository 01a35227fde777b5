import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Promise P10: one terminal verdict for each change, and a bad change harms nobody else.
@Suite struct VerdictTests {
    private let meal = ID.random()

    @Test func everyVerdictIsSaid() async throws {
        try await withTestServer { server in
            let device = server.device()
            let other = server.device()
            try await other.push([.create("SDMeal", meal, ["notes": "b", "rawInput": "b"], at: moment(2))])
            let answer = try await device.push([
                .create("SDMeal", .random(), at: moment(1)),
                .update("SDMeal", meal, ["notes": "a", "errorMessage": "a"], at: moment(1)),
                .update("SDMeal", meal, ["notes": "a"], at: moment(1)),
                .update("SDMeal", meal, ["notes": "b"], at: moment(2)),
                .update("SDMeal", meal, ["noSuch": 1], at: moment(3)),
                .update("SDMeal", meal, ["notes": "c"], at: moment(3)),
            ])
            #expect(answer.verdicts == ["applied", "merged", "superseded", "unchanged", "rejected", "applied"])
            #expect(answer.kept == [1: ["notes"]] && answer.applied == 2)
            let record = try await server.view("0.1.1")["SDMeal"]?[meal.description]
            #expect(record?["notes"] == "c" && record?["errorMessage"] == "a" && record?["rawInput"] == "b")
        }
    }

    /// A rejected change, and the code that says why.
    struct Fault: CustomTestStringConvertible, Sendable {
        let code: Rejection.Code
        let version: String
        let change: JSONValue

        init(_ code: Rejection.Code, _ change: JSONValue, in version: String = "0.1.1") {
            self.code = code
            self.version = version
            self.change = change
        }

        var testDescription: String { "\(code.rawValue): \(change)" }
    }

    private static let id = ID.random()

    static let faults: [Fault] = [
        Fault(.malformedChange, 7), Fault(.malformedChange, nil), Fault(.malformedChange, []),
        Fault(.malformedChange, meal(["entity": nil])), Fault(.malformedChange, meal(["entity": 3])),
        Fault(.malformedChange, meal(["fields": []])), Fault(.malformedChange, meal(["surprise": 1])),
        Fault(.malformedChange, meal(["op": "delete", "fields": ["notes": "x"]])),
        Fault(.malformedID, meal(["id": "not-a-uuid"])), Fault(.malformedID, meal(["id": nil])),
        Fault(.malformedID, meal(["fields": ["id": .id(ID(high: 1, low: 1))]])),
        Fault(.malformedID, meal(["fields": ["id": 5]])),
        Fault(.badOperation, meal(["op": "upsert"])), Fault(.badOperation, meal(["op": nil])),
        Fault(.badStamp, meal(["stamp": 0])), Fault(.badStamp, meal(["stamp": -1])),
        Fault(.badStamp, meal(["stamp": .int(1 << 53)])), Fault(.badStamp, meal(["stamp": 1.5])),
        Fault(.badStamp, meal(["stamp": "1"])), Fault(.badStamp, meal(["stamp": 1e300])),
        Fault(.unknownVersion, meal(["version": "six"])),
        Fault(.unknownVersion, meal(["version": 6])),
        Fault(.unknownVersion, meal(["version": "0.01.1"])),
        Fault(.unknownEntity, meal(["entity": "SDNothing"])),
        Fault(.unknownEntity, meal([:]), in: "0.0.3"),
        Fault(.unknownEntity, meal(["entity": "SDUserProfile"])),
        Fault(.unknownEntity, meal(["version": "0.0.5"])),
        Fault(.unknownAttribute, meal(["fields": ["noSuch": 1]])),
        Fault(.unknownAttribute, .update("SDMoodEntry", id, ["value": 5], at: moment(1)), in: "0.0.9"),
        Fault(.unknownAttribute, .update("SDMoodEntry", id, ["valence": 0.5], at: moment(1))),
        Fault(.localOnly, .update("SDUserProfileV11", id, ["authToken": "secret"], at: moment(1))),
        Fault(.localOnly, .update("SDUserProfileV11", id, ["workouts": []], at: moment(1))),
        Fault(.localOnly, .create("SDOutboxEvent", id, at: moment(1))),
        Fault(.wrongType, meal(["fields": ["totalCalories": 1.5]])),
        Fault(.wrongType, meal(["fields": ["totalCalories": .double(9_223_372_036_854_775_808)]])),
        Fault(.wrongType, meal(["fields": ["totalCalories": "1"]])),
        Fault(.wrongType, meal(["fields": ["rawInput": nil]])),
        Fault(.wrongType, meal(["fields": ["notes": 1]])),
        Fault(.wrongType, meal(["fields": ["loggedAt": "yesterday"]])),
        Fault(.wrongType, meal(["fields": ["loggedAt": "2026-02-30T00:00:00Z"]])),
        Fault(.wrongType, meal(["fields": ["userProfile": "me"]])),
        Fault(.wrongType, meal(["fields": ["mealType": "brunch"]]), in: "0.0.6"),
        Fault(.wrongType, .update("SDMoodEntry", id, ["labels": ["a", 1]], at: moment(1)), in: "0.0.5"),
        Fault(.notACounter, meal(["increments": ["totalCalories": 1]])),
        Fault(.missingStamp, meal(["increments": ["totalCalories": 1], "stamp": nil])),
        Fault(.nulCharacter, meal(["fields": ["notes": "a\u{0}b"]])),
        Fault(.nulCharacter, .update("SDMoodEntry", id, ["labels": ["a\u{0}"]], at: moment(1)), in: "0.0.5"),
    ]

    @Test(
        "S2_05: a bad change, of an unknown entity for one, is rejected and the rest of its batch goes on",
        arguments: faults)
    func aBadChangeIsRejectedAndTheRestOfItsBatchGoesOn(fault: Fault) async throws {
        try await withTestServer { server in
            let before = ID.random()
            let after = ID.random()
            let answer = try await server.device(fault.version).push([
                .create("SDProgressEntry", before, ["notes": "before"], at: moment(1)), fault.change,
                .create("SDProgressEntry", after, ["notes": "after"], at: moment(1)),
            ])
            #expect(answer.verdicts == ["applied", "rejected", "applied"])
            #expect(answer.codes == [1: fault.code.rawValue])
            let stored = try await server.device("0.1.1").pullAll()
            #expect(stored.map { $0["id"] } == [.id(before), .id(after)])
        }
    }

    /// FitIQ has neither a required attribute without default nor a singleton; KeepTrack has both, and its tests.
    /// What is unique has `UniqueTests`, what counts `CounterTests`; deletions have `DeleteRuleTests` and
    /// `MassDeletionTests`, sizes `LargeRecordTests`, ids that are texts `TextIDTests`, readers `SharingTests`.
    @Test func everyCodeOfARejectionIsMetByAFault() {
        let met = Set(VerdictTests.faults.map(\.code))
        let elsewhere: Set<Rejection.Code> = [
            .missingAttribute, .notTheSingleton, .unique, .missingDevice, .counterSet, .counterOverflow, .denied,
            .massDeletion, .recordTooLarge, .unknownID, .readOnly,
        ]
        #expect(Set(Rejection.Code.allCases).subtracting(met) == elsewhere)
    }

    private static func meal(_ changing: [String: JSONValue]) -> JSONValue {
        let whole: [String: JSONValue] = ["entity": "SDMeal", "id": .id(id), "op": "update", "stamp": .int(moment(1))]
        return .object(whole.merging(changing) { $1 })
    }
}

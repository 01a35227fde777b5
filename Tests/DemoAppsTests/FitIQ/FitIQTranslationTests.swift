import DemoApps
import Testing

@testable import WireFormats

/// Records of one version as clients of neighbouring versions read them.
@Suite struct FitIQTranslationTests {
    let plan: Plan
    private let createdAt = Timestamp(microseconds: 1_763_640_000_000_000)

    init() throws {
        plan = try Plan(FitIQPlan.self)
    }

    @Test func quantityTypedInVersion7IsANumberAndAUnitInVersion8() throws {
        let row = try create("SDMealLogItem", in: 7, ["quantity": .string("500 mL")])
        #expect(try read("SDMealLogItem", in: 8, row, "quantity", "unit") == [.double(500), .string("mL")])
    }

    @Test("S5_06: a text that says no number stays for the versions that have it")
    func textThatSaysNoNumberStaysForTheVersionsThatHaveIt() throws {
        var row = try create("SDMealLogItem", in: 6, ["quantity": .string("a handful")])
        #expect(try read("SDMealLogItem", in: 11, row, "quantity", "unit") == [.double(0), .string("")])
        try put("SDMealLogItem", in: 11, ["name": .string("Nuts"), "quantity": .double(0), "unit": .string("")], &row)
        #expect(try read("SDMealLogItem", in: 6, row, "quantity", "name") == [.string("a handful"), .string("Nuts")])
    }

    @Test func numberChangedInVersion8IsTextInVersion7() throws {
        var row = try create("SDMealLogItem", in: 7, ["quantity": .string("1,5 l")])
        try put("SDMealLogItem", in: 8, ["quantity": .double(2)], &row)
        #expect(try read("SDMealLogItem", in: 7, row, "quantity") == [.string("2 l")])
    }

    @Test func newerMealTypesReadAsOtherWhereTheTypeIsAnEnumeration() throws {
        let row = try create("SDMeal", in: 11, ["mealType": .string("brunch"), "status": .string("manual")])
        #expect(try read("SDMeal", in: 7, row, "mealType", "status") == [.string("other"), .string("completed")])
        #expect(try read("SDMeal", in: 8, row, "mealType", "status") == [.string("brunch"), .string("manual")])
    }

    @Test func valenceAndScoreFollowEachOther() throws {
        var row = try create("SDMoodEntry", in: 9, ["valence": .double(0.4)])
        #expect(try read("SDMoodEntry", in: 10, row, "value") == [.int(7)])
        try put("SDMoodEntry", in: 10, ["value": .int(7)], &row)
        #expect(try read("SDMoodEntry", in: 9, row, "valence") == [.double(0.4)])
        try put("SDMoodEntry", in: 10, ["value": .int(10)], &row)
        #expect(try read("SDMoodEntry", in: 9, row, "valence") == [.double(1)])
    }

    @Test func labelsSurviveAnEditByAVersionWithoutThem() throws {
        var row = try create("SDMoodEntry", in: 5, ["labels": .json(#"["happy"]"#)])
        try put("SDMoodEntry", in: 11, ["value": .int(9)], &row)
        #expect(try read("SDMoodEntry", in: 9, row, "labels") == [.json(#"["happy"]"#)])
    }

    @Test func caloriesWithAFractionReadRoundedInVersion9() throws {
        let row = try create("SDRecognizedFoodItem", in: 10, ["calories": .double(206.5)])
        #expect(try read("SDRecognizedFoodItem", in: 9, row, "calories") == [.int(207)])
    }

    @Test func whatVersion10LeavesOpenReadsAsVersion9sDefault() throws {
        let row = try create("SDRecognizedFoodItem", in: 10, ["foodName": .string("Rice")])
        #expect(
            try read("SDRecognizedFoodItem", in: 9, row, "name", "quantity", "unit", "confidenceScore") == [
                .string("Rice"), .double(0), .string(""), .double(0),
            ])
        #expect(
            try read("SDRecognizedFoodItem", in: 10, row, "quantity", "unit", "confidence") == [.null, .null, .null])
    }

    @Test func photographedMealIsLoggedWhenItWasCreated() throws {
        let taken = Value.date(Timestamp(microseconds: 7))
        let row = try create("SDPhotoRecognition", in: 10, ["createdAt": taken, "photoFileName": .string("1.jpg")])
        #expect(try read("SDPhotoRecognition", in: 9, row, "loggedAt", "imageURL") == [taken, .string("1.jpg")])
    }

    @Test func unitSystemIsOneAttributeUnderTwoNames() throws {
        var row = try create(
            "SDUserProfile", in: 1, ["preferredUnitSystem": .string("imperial"), "bio": .string("Hi")])
        #expect(try read("SDUserProfileV11", in: 11, row, "unitSystem", "email") == [.string("imperial"), .string("")])
        try put("SDUserProfileV11", in: 11, ["unitSystem": .string("furlongs")], &row)
        #expect(
            try read("SDUserProfile", in: 8, row, "preferredUnitSystem", "bio") == [.string("metric"), .string("Hi")])
    }

    // MARK: Clients

    private func projection(_ entity: String, _ version: Int) throws -> Projection {
        try #require(plan.projection(version: version - 1, named: entity))
    }

    private func edits(_ fields: [String: Value], _ projection: Projection) throws -> [FieldEdit] {
        try fields.map { FieldEdit(field: try #require(projection.field(named: $0)), value: $1) }
    }

    private func create(_ entity: String, in version: Int, _ fields: [String: Value]) throws -> [Value] {
        let projection = try projection(entity, version)
        return try projection.create(
            edits(fields, projection), id: ID(high: 1, low: 2), createdAt: createdAt)
    }

    private func put(_ entity: String, in version: Int, _ fields: [String: Value], _ row: inout [Value]) throws {
        let projection = try projection(entity, version)
        try projection.put(edits(fields, projection), into: &row)
    }

    private func read(_ entity: String, in version: Int, _ row: [Value], _ names: String...) throws -> [Value] {
        let projection = try projection(entity, version)
        let view = projection.view(of: row)
        return try names.map { view[try #require(projection.field(named: $0))] }
    }
}

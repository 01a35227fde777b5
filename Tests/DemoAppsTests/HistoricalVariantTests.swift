import DemoApps
import Testing

@testable import WireFormats

/// The shapes that the apps shipped under their version numbers, compared with the recorded facts.
@Suite struct HistoricalVariantTests {
    @Test func fingerprintsOfVariantsNeverChange() throws {
        let variants = try [FitIQPlan.self, KeepTrackPlan.self].flatMap {
            (declaration: any SchemaMigrationPlan.Type) in
            let plan = try Plan(declaration)
            return plan.shapes.indices.filter(plan.isVariant).map { "\(plan.app) \(plan.name(of: $0))" }
        }
        #expect(
            variants == [
                "fitiq 0.1.0;fp=8de35ba91f04e2da", "keeptrack 0.0.0;fp=127e13acbaa47bed",
                "keeptrack 2.0.0;fp=021624b395082d90",
            ])
    }

    /// The facts are in `fitiq.json`, the third of its `historicalVariants`.
    @Test func theFirstCutOfFitIQ010IsWhatIsOnRecord() throws {
        let plan = try Plan(FitIQPlan.self)
        #expect(
            SchemaDifference(plan, from: 9, to: 11).lines
                == [
                    "SDSleepSession: startTime → startDate", "SDSleepSession: endTime → endDate",
                    "SDSleepSession: date → ",
                    "SDMeal: loggedAt → date", "SDMeal: status → ", "SDMeal: errorMessage → ", "SDMeal:  → name",
                    "SDMealLogItem: name → foodName", "SDMealLogItem: protein → proteinG",
                    "SDMealLogItem: carbs → carbsG", "SDMealLogItem: fat → fatG", "SDMealLogItem: foodType → ",
                    "SDMealLogItem: parsingNotes → ",
                ].sorted())
    }

    @Test func theFirstCutOfKeepTrack200LacksWhatOneDeviceMayDo() throws {
        let plan = try Plan(KeepTrackPlan.self)
        let facts = ["iCloudAvailable", "cloudKitAvailable", "documentsAccessible", "lastPermissionCheck"]
        #expect(SchemaDifference(plan, from: 2, to: 4).lines == facts.map { "SDAppSettings: \($0) → " }.sorted())
    }

    @Test func theStoreOfKeepTrackHadNoSuffixes() throws {
        let plan = try Plan(KeepTrackPlan.self)
        #expect(plan.projections[3].map { $0?.name } == ["SDEntry", "SDIntakeType", "SDGoal", "SDAppSettings"])
        #expect(SchemaDifference(plan, from: 0, to: 3).lines == [], "nothing but the entities' names")
    }
}

extension SchemaDifference {
    /// Returns the differences among the members, in alphabetical order.
    fileprivate var lines: [String] {
        entities.flatMap { entity in
            entity.members.map { member in
                let (before, after) = (member.before.map(\.name), member.after.map(\.name))
                return "\(entity.after ?? ""): \(before.joined(separator: ", ")) → \(after.joined(separator: ", "))"
            }
        }.sorted()
    }
}

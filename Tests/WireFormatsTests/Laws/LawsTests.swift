import Testing

@testable import WireFormats

@Suite struct LawsTests {
    static let plans: [any SchemaMigrationPlan.Type] = [
        KitchenPlan.self, TypesPlan.self, ConversionsPlan.self, VariantsPlan.self, DiaryPlan.self,
    ]

    /// A new seed for each run, so that repeated runs find faults that the fixed seeds miss. The report states it.
    @Test("S2_07: every law holds for every operation", arguments: plans.indices) func everyLawHoldsForEveryOperation(
        index: Int
    ) async throws {
        let report = await Laws.check(try Plan(Self.plans[index]), seed: .random(in: 0 ... .max))
        #expect(report.isLawful, "\(report)")
    }

    @Test(arguments: plans.indices, [1, 2, 0x5eed] as [UInt64])
    func everyLawHoldsForTheSeedsThatOnceFoundSomething(index: Int, seed: UInt64) async throws {
        let report = await Laws.check(try Plan(Self.plans[index]), cases: 50, seed: seed)
        #expect(report.isLawful, "\(report)")
    }

    @Test func everyVersionOfEveryEntityIsTried() async throws {
        let report = await Laws.check(try Plan(KitchenPlan.self), cases: 2, seed: 1)
        #expect(
            report.runs.map { "\($0.shape) \($0.entity)" } == [
                "0.0.1 Food", "0.0.1 Person", "0.0.2 Meal", "0.0.2 Person", "0.0.2 Drink", "0.0.3 Meal", "0.0.3 Person",
                "0.1.0 LoggedMeal", "0.1.0 Person", "0.1.0 Guest",
            ])
        #expect(report.cases == 20)
    }

    @Test func everyVariantIsTriedAndNamedByItsFingerprint() async throws {
        let plan = try Plan(VariantsPlan.self)
        let report = await Laws.check(plan, cases: 2, seed: 1)
        let variants = report.runs.filter { $0.shape.fingerprint != nil }
        #expect(variants.map(\.entity) == ["Thing", "Sticker", "Item", "Item", "Item"])
        #expect(Set(variants.compactMap(\.shape.fingerprint)) == Set(plan.shapes.dropFirst(3).map(\.fingerprint)))
    }
}

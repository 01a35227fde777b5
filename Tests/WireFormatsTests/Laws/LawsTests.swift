import Testing

@testable import WireFormats

@Suite struct LawsTests {
    static let plans: [any SchemaMigrationPlan.Type] = [KitchenPlan.self, TypesPlan.self, ConversionsPlan.self]

    /// A seed of its own each run, so that time finds what the fixed ones do not; it is in the report.
    @Test("S2_07: every law holds for every operation", arguments: plans.indices) func everyLawHoldsForEveryOperation(
        index: Int
    ) throws {
        let report = Laws.check(try Plan(Self.plans[index]), seed: .random(in: 0 ... .max))
        #expect(report.isLawful, "\(report)")
    }

    @Test(arguments: plans.indices, [1, 2, 0x5eed] as [UInt64])
    func everyLawHoldsForTheSeedsThatOnceFoundSomething(index: Int, seed: UInt64) throws {
        let report = Laws.check(try Plan(Self.plans[index]), cases: 50, seed: seed)
        #expect(report.isLawful, "\(report)")
    }

    @Test func everyVersionOfEveryEntityIsTried() throws {
        let report = Laws.check(try Plan(KitchenPlan.self), cases: 2, seed: 1)
        #expect(
            report.runs.map { "\($0.version) \($0.entity)" } == [
                "0.0.1 Food", "0.0.1 Person", "0.0.2 Meal", "0.0.2 Person", "0.0.2 Drink", "0.0.3 Meal", "0.0.3 Person",
                "0.1.0 LoggedMeal", "0.1.0 Person", "0.1.0 Guest",
            ])
        #expect(report.cases == 20)
    }
}

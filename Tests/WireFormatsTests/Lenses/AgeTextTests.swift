import Testing

@testable import WireFormats

/// An attribute that changes from a number to a text: `age: Int` in the older version, `age: String` in the newer.
@Suite struct AgeTextTests {
    private struct AgeText: Conversion {
        func up(_ older: Int) -> String { String(older) }
        /// Returns 0 for a text that is no number; no real age is 0.
        func down(_ newer: String) -> Int { Int(newer) ?? 0 }
        let fidelity = Fidelity.lossy
        let examples = [0, 41, 130]
    }

    private let plan: Plan
    private let id = ID(high: 1, low: 2)

    init() throws {
        plan = try Toy.plan(
            { Models { Model("Person") { Attribute("age", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("Person") { Attribute("age", .string) }
                }
            },
            stages: [Toy.custom { Convert("Person.age", using: AgeText()) }])
    }

    private func projection(_ version: Int) throws -> Projection {
        try #require(plan.projection(version: version, named: "Person"))
    }

    private func row(_ value: Value, by version: Int) throws -> [Value] {
        try projection(version).create(
            [FieldEdit(field: 0, value: value)], id: id, createdAt: Timestamp(microseconds: 0))
    }

    @Test("S5_06: a text that is no number reads as the declared number, and an echo of that keeps the text")
    func whatHasNoCounterpartIsKept() throws {
        var row = try row(.string("abc"), by: 1)
        #expect(try projection(0).view(of: row) == [.int(0)])
        try projection(0).put([FieldEdit(field: 0, value: .int(0))], into: &row)
        #expect(try projection(1).view(of: row) == [.string("abc")])
        try projection(0).put([FieldEdit(field: 0, value: .int(41))], into: &row)
        #expect(try projection(1).view(of: row) == [.string("41")])
        try projection(1).put([FieldEdit(field: 0, value: .string("041"))], into: &row)
        #expect(try projection(0).view(of: row) == [.int(41)])
        try projection(0).put([FieldEdit(field: 0, value: .int(41))], into: &row)
        #expect(try projection(1).view(of: row) == [.string("041")])
    }

    @Test("S5_06: both forms keep a column, and the laws hold")
    func bothFormsAreKept() async throws {
        #expect(plan.hub.entities[0].columns.map(\.name) == ["age", "age_v2"])
        let report = await Laws.check(plan, cases: 200, seed: .random(in: 0 ... .max))
        #expect(report.isLawful, "\(report)")
    }
}

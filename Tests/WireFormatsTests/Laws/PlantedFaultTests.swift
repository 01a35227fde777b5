import Synchronization
import Testing

@testable import WireFormats

/// Planted faults: each law is broken on purpose, and the check must find it.
@Suite struct PlantedFaultTests {
    // MARK: Conversions

    @Test func aConversionThatClaimsToKeepWhatItLosesIsFound() async throws {
        let report = await Laws.check(try plan(RoundedConversion()), cases: 200, seed: 1)
        #expect(laws(of: report).isSuperset(of: [.noSurprise, .flatIsChain]))
    }

    @Test func aConversionThatAnswersDifferentlyEachTimeIsFound() async throws {
        let report = await Laws.check(try plan(CountingConversion()), cases: 200, seed: 1)
        #expect(laws(of: report).contains(.stableBytes))
    }

    @Test func aConversionThatMakesAnUnknownCaseIsFound() async throws {
        let report = await Laws.check(try plan(LoudConversion()), cases: 200, seed: 1)
        #expect(laws(of: report) == [.total])
    }

    @Test func aConversionThatMakesAnInfiniteDoubleIsFound() async throws {
        let report = await Laws.check(try plan(OverflowingConversion()), cases: 200, seed: 1)
        #expect(laws(of: report).contains(.total))
    }

    // MARK: The compiled plan

    @Test("S2_10: a projection that reads the neighbouring column is found by the laws")
    func aProjectionThatReadsTheNeighbouringColumnIsFound() async throws {
        var subject = LawSubject(try Plan(KitchenPlan.self))
        subject.projections = subject.projections.map { row in row.map { $0.map(swappingColumns(of: "name", "label")) }
        }
        let report = await Laws.check(subject, cases: 100, seed: 1)
        #expect(laws(of: report).contains(.flatIsChain))
    }

    @Test func aProjectionWithoutItsLinksIsFound() async throws {
        var subject = LawSubject(try Plan(ConversionsPlan.self))
        subject.projections = subject.projections.map { row in row.map { $0.map { $0.with(links: []) } }
        }
        let report = await Laws.check(subject, cases: 100, seed: 1)
        #expect(laws(of: report).contains(.flatIsChain))
    }

    @Test func aVariantWithoutItsLinksIsFoundAndCanBeHadAgain() async throws {
        let plan = try Plan(VariantsPlan.self)
        var subject = LawSubject(plan)
        subject.projections = subject.projections.enumerated().map { index, row in
            row.map { $0.map { plan.isVariant(index) ? $0.with(links: []) : $0 } }
        }
        let violations = await Laws.check(subject, cases: 100, seed: 1).violations.filter { $0.law == .flatIsChain }
        // The shape that has nothing but the newest version's number has no links to lose.
        #expect(violations.contains { $0.shape == plan.name(of: 3) })
        #expect(violations.contains { $0.shape == plan.name(of: 4) })
        #expect(violations.allSatisfy { Laws.replay($0, in: plan) == nil }, "the plan itself is lawful")
    }

    @Test func aProjectionThatForgetsWhatACreationFillsIsFound() async throws {
        var subject = LawSubject(try Plan(KitchenPlan.self))
        subject.projections = subject.projections.map { row in row.map { $0.map { $0.with(creation: []) } } }
        let report = await Laws.check(subject, cases: 100, seed: 1)
        #expect(laws(of: report).isSuperset(of: [.flatIsChain, .total]))
    }

    // MARK: Put

    @Test func aPutThatRewritesUntouchedValuesIsFound() async throws {
        var subject = LawSubject(try Plan(ConversionsPlan.self))
        subject.put = { projection, edits, row throws(LensFailure) in
            for edit in edits {
                let field = projection.fields[edit.field]
                row[field.column] = try field.steps.widened(edit.value)
            }
        }
        let report = await Laws.check(subject, cases: 100, seed: 1)
        #expect(laws(of: report).contains(.noEcho))
    }

    @Test func aPutThatTouchesTheNeighbourIsFound() async throws {
        var subject = LawSubject(try Plan(KitchenPlan.self))
        subject.put = { projection, edits, row throws(LensFailure) in
            try projection.put(edits, into: &row)
            guard let name = projection.field(named: "name"), edits.contains(where: { $0.field == name }),
                let label = projection.field(named: "label")
            else { return }
            row[projection.fields[label].column] = .string("touched")
        }
        let report = await Laws.check(subject, cases: 100, seed: 1)
        #expect(laws(of: report).isSuperset(of: [.frame, .editsCommute]))
    }

    @Test("S2_10: a lens that drops an edit is found by the laws")
    func aPutThatDropsAnEditIsFound() async throws {
        var subject = LawSubject(try Plan(KitchenPlan.self))
        subject.put = { projection, edits, row throws(LensFailure) in try projection.put(edits.dropLast(), into: &row) }
        let report = await Laws.check(subject, cases: 100, seed: 1)
        #expect(laws(of: report).isSuperset(of: [.noSurprise, .flatIsChain]))
    }

    // MARK: The report

    @Test func whatIsFoundIsSmallAndCanBeMadeAgain() async throws {
        let plan = try plan(RoundedConversion())
        let report = await Laws.check(plan, cases: 200, seed: 7)
        let violation = try #require(report.violations.first { $0.law == .noSurprise })
        #expect(violation.counterexample.count <= 6, "\(violation)")
        #expect(Laws.replay(violation, in: plan) == violation)
        #expect(Laws.replay(violation, in: try Plan(ConversionsPlan.self)) == nil)
        let lines = "\(report)".split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 100 }, "\(report)")
        #expect(lines.contains { $0.contains("seed 7") })
    }

    @Test func theSameSeedMakesTheSameReport() async throws {
        let plan = try plan(RoundedConversion())
        let (first, second) = (
            await Laws.check(plan, cases: 50, seed: 3), await Laws.check(plan, cases: 50, seed: 3)
        )
        #expect(!first.isLawful)
        #expect(first.violations == second.violations && first.runs == second.runs)
    }

    // MARK: -

    private func laws(of report: LawReport) -> Set<Law> {
        Set(report.violations.map(\.law))
    }

    /// A plan whose only attribute is converted by `conversion`.
    private func plan<C: Conversion>(_ conversion: C) throws -> Plan
    where C.Older: AttributeValue, C.Newer: AttributeValue {
        try OneConversion.plan(conversion)
    }

    private func swappingColumns(of first: String, _ second: String) -> @Sendable (Projection) -> Projection {
        { projection in
            guard let a = projection.field(named: first), let b = projection.field(named: second) else {
                return projection
            }
            var columns = projection.fields.map(\.column)
            columns.swapAt(a, b)
            return projection.with(columns: columns)
        }
    }
}

// MARK: - Faulty conversions

/// A faulty conversion that claims to be lossless and keeps only whole numbers.
private struct RoundedConversion: Conversion {
    func up(_ older: Double) -> Int { abs(older) < 1e15 ? Int(older) : 0 }
    func down(_ newer: Int) -> Double { Double(newer) }
    var fidelity: Fidelity { .projecting }
    var examples: [Double] { [1.5] }
}

/// A faulty conversion whose result depends on the number of its calls.
private final class CountingConversion: Conversion {
    private let count = Atomic<Int>(0)
    func up(_ older: String) -> Int { count.add(1, ordering: .relaxed).newValue }
    func down(_ newer: Int) -> String { "\(newer)" }
    var fidelity: Fidelity { .lossy }
    var examples: [String] { [] }
}

/// A faulty conversion to raw values that the older version's enumeration lacks.
private struct LoudConversion: Conversion {
    func up(_ older: String) -> String { older }
    func down(_ newer: String) -> String { newer.uppercased() }
    var fidelity: Fidelity { .lossy }
    var examples: [String] { ["quiet"] }
}

/// A faulty conversion without a result for small numbers.
private struct OverflowingConversion: Conversion {
    func up(_ older: Double) -> Double { 1 / older }
    func down(_ newer: Double) -> Double { 1 / newer }
    var fidelity: Fidelity { .lossy }
    var examples: [Double] { [2] }
}

/// A plan of two versions with one attribute, whose types are those of the conversion.
private enum OneConversion {
    static func plan<C: Conversion>(_ conversion: C) throws -> Plan
    where C.Older: AttributeValue, C.Newer: AttributeValue {
        try $conversion.withValue(conversion) { try Plan(Declaration<C>.self) }
    }

    @TaskLocal static var conversion: (any Sendable)?

    enum Declaration<C: Conversion>: SchemaMigrationPlan where C.Older: AttributeValue, C.Newer: AttributeValue {
        static var app: String { "one" }
        static var schemas: [any VersionedSchema.Type] { [Older<C>.self, Newer<C>.self] }
        static var stages: [MigrationStage] {
            let conversion = OneConversion.conversion as! C
            return [
                .custom(fromVersion: Older<C>.self, toVersion: Newer<C>.self) {
                    Convert("Thing.value", using: conversion)
                }
            ]
        }
    }

    enum Older<C: Conversion>: VersionedSchema where C.Older: AttributeValue, C.Newer: AttributeValue {
        static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        static var models: Models {
            let isLoud = C.self == LoudConversion.self
            return Models {
                Model("Thing") {
                    Attribute("value", isLoud ? .enumeration("Volume", ["quiet", "low"]) : C.Older.attributeType)
                    Attribute("bystander", .string)
                }
            }
        }
    }

    enum Newer<C: Conversion>: VersionedSchema where C.Older: AttributeValue, C.Newer: AttributeValue {
        static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        static var models: Models {
            Models {
                Inherits(Older<C>.self)
                Model("Thing") { Attribute("value", C.Newer.attributeType) }
            }
        }
    }
}

// MARK: - Faulty projections

extension Projection {
    /// Returns a copy with some parts exchanged.
    fileprivate func with(
        columns: [Int]? = nil, creation: [CreationStep]? = nil, links: [Link]? = nil
    ) -> Projection {
        let fields = zip(self.fields, columns ?? self.fields.map(\.column)).map { field, column in
            Field(
                name: field.name, type: field.type, default: field.default, merge: field.merge, column: column,
                unit: field.unit, steps: field.steps)
        }
        return Projection(
            version: version, entity: entity, name: name, identity: identity, fields: fields, localNames: localNames,
            columns: beginning.count, creation: creation ?? self.creation, links: links ?? self.links)
    }
}

import Testing

@testable import WireFormats

@Suite struct ExplanationTests {
    private func difference(_ plan: any SchemaMigrationPlan.Type, _ from: Int, _ to: Int) throws -> SchemaDifference {
        SchemaDifference(try Plan(plan), from: from, to: to)
    }

    @Test func aVersionDoesNotDifferFromItself() throws {
        let plan = try Plan(KitchenPlan.self)
        for version in plan.schemas.indices {
            #expect(SchemaDifference(plan, from: version, to: version).entities.isEmpty)
        }
    }

    @Test func aSplitIsOneDifferenceAndARenamingIsOne() throws {
        let members = try difference(ConversionsPlan.self, 0, 1).entities[0].members
        #expect(
            members.contains { $0.before.map(\.name) == ["quantity"] && $0.after.map(\.name) == ["quantity", "unit"] })
        #expect(members.contains { $0.before.map(\.name) == ["text"] && $0.after.map(\.name) == ["number"] })
        #expect(!members.contains { $0.before.map(\.name) == ["bystander"] })
    }

    @Test func theDifferenceBackwardsIsTheOtherWayRound() throws {
        let forth = try difference(ConversionsPlan.self, 0, 2).entities[0].members
        let back = try difference(ConversionsPlan.self, 2, 0).entities[0].members
        #expect(Set(forth.map { SchemaDifference.Member(before: $0.after, after: $0.before) }) == Set(back))
    }

    @Test func aStageSaysItsKindItsColumnsAndWhatOlderVersionsSee() throws {
        let plan = try Plan(ConversionsPlan.self)
        let stage = StageExplanation(plan, stage: 0)
        #expect(stage.isCustom)
        let split = try #require(stage.entities[0].operations.first { $0.after == ["quantity", "unit"] })
        #expect(split.fidelity == .lossy)
        #expect(split.consequence?.contains("QuantityText") == true)
        #expect(stage.entities[0].olderVersions == [Schema.Version(0, 0, 1)])
        #expect(stage.hub.contains { $0.description.hasPrefix("item.unit: text") })
        #expect(!StageExplanation(try Plan(KitchenPlan.self), stage: 0).isCustom)
    }

    /// The stages' changes to the tables, one after the other, are the tables.
    @Test func theStagesMakeTheHub() throws {
        let plan = try Plan(ConversionsPlan.self)
        let first = HubCompiler(app: plan.app, tree: plan.tree.grown(1)).compile().0
        let columns = first.entities[0].columns.count
        let added = plan.stages.indices.flatMap { StageExplanation(plan, stage: $0).hub }.count {
            if case .newColumn = $0 { true } else { false }
        }
        #expect(columns + added == plan.hub.entities[0].columns.count)
    }

    @Test func anAttributesLifeHasItsNamesItsColumnsAndItsLinks() throws {
        let history = try #require(EntityHistory(try Plan(ConversionsPlan.self), named: "Item"))
        let quantity = try #require(history.attributes(named: "unit").first)
        #expect(quantity.moments.map { $0.fields.map(\.member.name) }.first == ["quantity"])
        #expect(quantity.columns.count > 1)
        #expect(quantity.steps.contains { $0.operation.summary.contains("QuantityText") })
        #expect(EntityHistory(try Plan(ConversionsPlan.self), named: "Nothing") == nil)
    }
}

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

    /// The sum of all stages' changes to the tables equals the tables of the hub.
    @Test func theStagesMakeTheHub() throws {
        let plan = try Plan(ConversionsPlan.self)
        let first = HubCompiler(app: plan.app, tree: plan.tree.grown(1)).compile().0
        let columns = first.entities[0].columns.count
        let added = plan.stages.indices.flatMap { StageExplanation(plan, stage: $0).hub }.count {
            if case .newColumn = $0 { true } else { false }
        }
        #expect(columns + added == plan.hub.entities[0].columns.count)
    }

    @Test func anAttributesHistoryHasItsNamesItsColumnsAndItsLinks() throws {
        let history = try #require(EntityHistory(try Plan(ConversionsPlan.self), named: "Item"))
        let quantity = try #require(history.attributes(named: "unit").first)
        #expect(quantity.moments.map { $0.fields.map(\.member.name) }.first == ["quantity"])
        #expect(quantity.columns.count > 1)
        #expect(quantity.steps.contains { $0.operation.summary.contains("QuantityText") })
        #expect(EntityHistory(try Plan(ConversionsPlan.self), named: "Nothing") == nil)
    }

    @Test("S1_16: a changed delete rule or inverse is a difference, of the shape and in words, at both ends")
    func deleteRulesAndInversesAreDifferences() throws {
        @Sendable func parent(_ rule: Schema.DeleteRule) -> Model {
            Model("Meal") { Relationship("items", toMany: "Item", deleteRule: rule, inverse: "meal") }
        }
        @Sendable func child(_ rule: Schema.DeleteRule, of parent: String = "Meal", inverse: String? = nil) -> Model {
            Model("Item") { Relationship("meal", toOne: parent, deleteRule: rule, inverse: inverse) }
        }
        let plan = try Toy.plan(
            {
                Models {
                    parent(.cascade)
                    child(.nullify)
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self)
                    parent(.nullify)
                    child(.cascade, inverse: "items")
                }
            },
            {
                Models {
                    Inherits(Toy.V2.self)
                    Model("Dish", originalName: "Meal") {
                        Removed("items")
                        Relationship("parts", toMany: "Item", inverse: "meal")
                    }
                    child(.cascade, of: "Dish", inverse: "parts")
                }
            })
        #expect(Set(plan.schemas.map(\.fingerprint)).count == 3)
        let (v1, v2, v3) = (plan.schemas[0].version, plan.schemas[1].version, plan.schemas[2].version)

        let rules = SchemaDifference(plan, from: 0, to: 1).entities
        #expect(rules.map(\.after) == ["Meal", "Item"])
        let items = try #require(rules[0].members.first)
        #expect(items.before.map(\.type) == ["[→Item], cascade, inverse meal"])
        #expect(items.after.map(\.type) == ["[→Item], inverse meal"])
        #expect(items.deleteRules.map(\.rule) == [.cascade, .nullify])
        #expect(items.deleteRules.map(\.versions) == [[v1], [v2]], "the third version calls it otherwise")
        let meal = try #require(rules[1].members.first)
        #expect(meal.deleteRules.map(\.versions) == [[v1], [v2, v3]])

        // The rules are the same, with another inverse. The renaming of the target is reported for the target.
        let inverses = SchemaDifference(plan, from: 1, to: 2).entities
        let item = try #require(inverses.first { $0.after == "Item" })
        #expect(item.members.map { $0.before.map(\.type) } == [["→Meal?, cascade, inverse items"]])
        #expect(item.members.map { $0.after.map(\.type) } == [["→Dish?, cascade, inverse parts"]])
        #expect(item.members.flatMap(\.deleteRules).isEmpty)
    }

    @Test func aRenamedTargetIsNoDifferenceOfWhatRefersToIt() throws {
        let plan = try Toy.plan(
            {
                Models {
                    Model("Meal") { Relationship("items", toMany: "Item", deleteRule: .cascade, inverse: "meal") }
                    Model("Item") { Relationship("meal", toOne: "Meal") }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("Dish", originalName: "Meal")
                    Model("Part", originalName: "Item")
                }
            })
        let entities = SchemaDifference(plan, from: 0, to: 1).entities
        #expect(entities.map(\.after) == ["Dish", "Part"])
        #expect(entities.flatMap(\.members).isEmpty)
    }
}

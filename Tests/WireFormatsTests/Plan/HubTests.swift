import Testing

@testable import WireFormats

/// The hub's tables and columns for the declared versions.
@Suite struct HubTests {
    @Test(arguments: [
        ("SDUserProfile", "sd_user_profile"), ("totalProteinG", "total_protein_g"), ("name", "name"), ("Meal", "meal"),
        ("userID", "user_id"), ("URLString", "url_string"), ("aB", "a_b"), ("already_snake", "already_snake"),
        ("SDOutboxEventV2", "sd_outbox_event_v2"), ("X", "x"), ("", ""), ("Snake_Case", "snake_case"),
        ("value2D", "value2_d"),
    ])
    func swiftNamesBecomeSQLNames(name: String, expected: String) {
        #expect(snakeCase(name) == expected)
    }

    @Test func columnsThatTheServerNeedsAreNotTaken() throws {
        let plan = try Toy.plan({
            Models {
                Model("A") {
                    Attribute("seq", .int); Attribute("id", .uuid); Attribute("a", .int)
                }
            }
        })
        #expect(plan.hub.entities[0].columns.map(\.name) == ["seq_v1", "id_v1", "a"])
    }

    @Test func namesThatSQLCannotTellApartGetTheNumberOfTheirVersion() throws {
        let plan = try Toy.plan(
            {
                Models {
                    Model("A") {
                        Attribute("aB", .int); Attribute("a_b", .int); Attribute("aBV2", .int)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self);
                    Model("A") {
                        Removed("aB"); Attribute("a_B", .string.optional)
                    }
                }
            },
            stages: [Toy.custom { Distinct("A.a_B", from: "A.aB") }])
        let names = plan.hub.entities[0].columns.map(\.name)
        #expect(names == ["a_b", "a_b_v1", "a_bv2", "a_b_v2"])
        #expect(Set(names).count == names.count)
    }

    @Test func aNameWithTheNumberOfAVersionIsNotGivenTwice() throws {
        let plan = try Toy.plan(
            {
                Models {
                    Model("A") {
                        Attribute("name", .int); Attribute("name_v3", .int)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Removed("name") }
                }
            },
            {
                Models {
                    Inherits(Toy.V2.self); Model("A") { Attribute("name", .string.optional) }
                }
            })
        #expect(plan.hub.entities[0].columns.map(\.name) == ["name", "name_v3", "name_v3_2"])
    }

    @Test func tablesThatSQLCannotTellApartGetNamesOfTheirOwn() throws {
        let plan = try Toy.plan(
            {
                Models {
                    Model("SDMeal") { Attribute("a", .int) }; Model("SdMeal") { Attribute("b", .date) }
                }
            })
        #expect(plan.hub.entities.map(\.table) == ["sd_meal", "sd_meal_v1"])
    }

    @Test func namesLongerThanPostgreSQLKeepsStayApart() throws {
        let long = String(repeating: "a", count: 70)
        let plan = try Toy.plan({
            Models {
                Model("A") {
                    Attribute(long + "x", .int); Attribute(long + "y", .int)
                }
            }
        })
        let names = plan.hub.entities[0].columns.map(\.name)
        #expect(Set(names).count == 2 && names.allSatisfy { $0.utf8.count <= 63 }, "\(names)")
    }

    @Test func aRenamingNeverTouchesSQL() throws {
        let plan = try Plan(KitchenPlan.self)
        #expect(plan.hub.entities.map(\.table) == ["food", "person", "drink", "guest"])
        let newest = try #require(plan.projection(version: 3, named: "LoggedMeal"))
        let label = newest.fields[try #require(newest.field(named: "label"))]
        #expect(plan.hub.entities[0].columns[label.column].name == "name")
    }

    @Test func whatAStageLinksMergesAsOne() throws {
        let plan = try Plan(ConversionsPlan.self)
        let entity = plan.hub.entities[0]
        let units = entity.units.map { $0.columns.map { entity.columns[$0].name } }
        #expect(
            units == [
                ["price", "cost"], ["text", "number"], ["amount", "amount_v2"], ["mood", "score"],
                ["quantity", "quantity_v2", "unit", "unit_v3"],
                ["first_name", "last_name", "name", "weight", "label"], ["stage", "stage_v2", "stage_v3"], ["count"],
                ["bystander"], ["extra"],
            ])
        for (index, unit) in entity.units.enumerated() {
            #expect(unit.columns.allSatisfy { entity.unitOfColumn[$0] == index } && unit.key == unit.columns[0])
        }
        #expect(entity.units.flatMap(\.columns).sorted() == Array(entity.columns.indices))
    }

    @Test func aConversionThatKeepsEverythingNeedsNoSecondColumn() throws {
        let entity = try Plan(ConversionsPlan.self).hub.entities[0]
        let count = try #require(entity.columns.first { $0.name == "count" })
        #expect(count == .init(name: "count", type: .numeric, isNullable: true, introduced: 0, lastUsed: 2))
    }

    @Test("S5_07: what a version drops keeps its column, which says which version used it last")
    func aRetainedColumnSaysWhichVersionUsedItLast() throws {
        let entity = try Plan(KitchenPlan.self).hub.entities[0]
        let retained = entity.columns.filter { $0.lastUsed < 3 }.map { "\($0.name) \($0.introduced)-\($0.lastUsed)" }
        #expect(retained == ["label 0-1", "rating 0-1", "token 0-1", "person 0-1"])
    }

    @Test func aColumnMayBeNullWhereAnyVersionMayWriteNull() throws {
        let entity = try Plan(TypesPlan.self).hub.entities[0]
        let required = entity.columns.filter { !$0.isNullable }.map(\.name)
        #expect(required == ["word", "size_v4"])
    }
}

import Testing

@testable import WireFormats

/// Statements that a stage between two versions must have, and statements that it must not have.
@Suite struct StageCheckTests {
    // MARK: Renaming

    @Test("S1_02, S4_07, S5_04: an entity that looks renamed is refused, with both remedies")
    func anEntityThatLooksRenamedIsAmbiguousWithBothRemedies() {
        let problems = Toy.problems(
            {
                Models {
                    Model("Profile") {
                        Attribute("name", .string); Attribute("age", .int)
                    }
                }
            },
            {
                Models {
                    Model("Account") {
                        Attribute("name", .string); Attribute("age", .int)
                    }
                }
            })
        expectOnly(
            .ambiguous, problems, saying: "Profile", "Account", "0.0.1 → 0.0.2", "originalName: \"Profile\"",
            "Distinct(")
    }

    @Test("S5_04: an attribute that looks renamed is refused")
    func anAttributeThatLooksRenamedIsAmbiguous() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("firstName", .string) } } },
            {
                Models {
                    Inherits(Toy.V1.self);
                    Model("A") {
                        Removed("firstName"); Attribute("name", .string, default: "")
                    }
                }
            })
        expectOnly(
            .ambiguous, problems, saying: "A.firstName", "A.name", "0.0.1 → 0.0.2", "originalName: \"firstName\"")
    }

    @Test func whatIsSaidToBeDistinctIsNotAmbiguous() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("firstName", .string) } } },
            {
                Models {
                    Inherits(Toy.V1.self);
                    Model("A") {
                        Removed("firstName"); Attribute("name", .string, default: "")
                    }
                }
            },
            stages: [Toy.custom { Distinct("A.name", from: "A.firstName") }])
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test("S5_03: an original name that nothing had is refused, with what there is")
    func anOriginalNameThatNothingHadListsWhatThereIs() {
        let problems = Toy.problems(
            {
                Models {
                    Model("A") {
                        Attribute("first", .string); Attribute("age", .int)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Attribute("name", .string, originalName: "frist") }
                }
            })
        expectOnly(.unknownName, problems, saying: "A.frist, 0.0.2", "first, age")
    }

    @Test func anOriginalNameIsCheckedInAVersionThatInheritsNothing() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("first", .string) } } },
            { Models { Model("B", originalName: "A") { Attribute("name", .string.optional, originalName: "frist") } } })
        expectOnly(.unknownName, problems, saying: "B.name", "frist", "0.0.1 → 0.0.2", "first")
        let entity = Toy.problems(
            { Models { Model("A") { Attribute("first", .string) } } },
            { Models { Model("B", originalName: "X") { Attribute("other", .int) } } })
        expectOnly(.unknownName, entity, saying: "B", "X", "0.0.1 → 0.0.2", "A")
    }

    @Test func anOriginalNameInTheFirstVersionIsRefused() {
        let problems = Toy.problems({ Models { Model("A", originalName: "B") { Attribute("a", .int) } } })
        expectOnly(.unknownName, problems, saying: "B, 0.0.1")
    }

    @Test func aVersionMayStateEverythingAnew() throws {
        let plan = try Toy.plan(
            {
                Models {
                    Model("A") {
                        Attribute("first", .string); Attribute("age", .int)
                    }
                }
            },
            {
                Models {
                    Model("B", originalName: "A") {
                        Attribute("age", .int)
                        Attribute("name", .string, originalName: "first")
                    }
                }
            })
        #expect(plan.hub.entities.map { $0.columns.map(\.name) } == [["first", "age"]])
    }

    @Test func aNameTakenOverFromARenamedAttributeIsANewAttribute() throws {
        let plan = try Toy.plan(
            { Models { Model("A") { Attribute("name", .string) } } },
            {
                Models {
                    Model("A") {
                        Attribute("name", .int.optional); Attribute("title", .string, originalName: "name")
                    }
                }
            })
        #expect(plan.hub.entities[0].columns.map(\.name) == ["name", "name_v2"])
        let newer = try #require(plan.projection(version: 1, named: "A"))
        #expect(newer.fields.map(\.column) == [1, 0])
    }

    @Test func twoAttributesMayExchangeTheirNames() throws {
        for isReversed in [false, true] {
            let plan = try Toy.plan(
                {
                    Models {
                        Model("A") {
                            Attribute("a", .int); Attribute("b", .int)
                        }
                    }
                },
                {
                    Models {
                        Inherits(Toy.V1.self)
                        Model("A") {
                            Attribute(isReversed ? "b" : "a", .int, originalName: isReversed ? "a" : "b")
                            Attribute(isReversed ? "a" : "b", .int, originalName: isReversed ? "b" : "a")
                        }
                    }
                })
            let newer = try #require(plan.projection(version: 1, named: "A"))
            #expect(newer.fields.map { "\($0.name) \($0.column)" } == ["b 0", "a 1"])
        }
    }

    @Test func removingWhatIsNotThereListsWhatThereIs() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("first", .string) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Removed("last") }; RemovedModel("Z")
                }
            })
        #expect(problems.map(\.code) == [.unknownName, .unknownName])
        #expect(problems.map(\.subject) == ["A.last, 0.0.2", "Z, 0.0.2"])
        #expect(problems[0].remedy.contains("first") && problems[1].remedy.contains("A"))
    }

    // MARK: Adding and changing

    @Test("S5_05: a required attribute without a default is refused")
    func aRequiredAttributeWithoutDefaultIsRefused() {
        let problems = Toy.problems(
            { Models { Model("Meal") { Attribute("kcal", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("Meal") { Attribute("name", .string) }
                }
            })
        expectOnly(.missingDefault, problems, saying: "Meal.name, 0.0.1 → 0.0.2", "default")
    }

    @Test func aRequiredAttributeOfANewEntityNeedsNone() {
        let problems = Toy.problems(
            { Models {} }, { Models { Model("Meal") { Attribute("name", .string) } } })
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test("S5_12: a number in another unit is another value, and needs a conversion")
    func anotherUnitNeedsAConversion() throws {
        func models(_ unit: String?) -> @Sendable () -> Models {
            { Models { Model("Day") { Attribute("opens", .int, unit: unit) } } }
        }
        expectOnly(
            .needsConversion, Toy.problems(models("minutes"), models("HHmm")), saying: "Day.opens, 0.0.1 → 0.0.2",
            "counted minutes and now HHmm", "Convert(\"Day.opens\", using:")
        expectOnly(
            .needsConversion, Toy.problems(models("minutes"), models(nil)), saying: "State `unit: \"minutes\"` again")
        #expect(Toy.problems(models(nil), models("minutes")) == [])
        let converting = Toy.custom { Convert("Day.opens", using: MinutesToHHmm()) }
        #expect(Toy.problems(models("minutes"), models("HHmm"), stages: [converting]) == [])
    }

    /// A conversion from minutes to a clock time: 570 becomes 930, half past nine.
    private struct MinutesToHHmm: Conversion {
        func up(_ older: Int) -> Int { older / 60 * 100 + older % 60 }
        func down(_ newer: Int) -> Int { newer / 100 * 60 + newer % 100 }
        let fidelity = Fidelity.lossy
        let examples = [0, 570, 1439]
    }

    @Test("S3_04, S5_06: another type needs a conversion, and is not lightweight")
    func anotherTypeNeedsAConversion() {
        let problems = Toy.problems(
            { Models { Model("Place") { Attribute("age", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("Spot", originalName: "Place") { Attribute("age", .string) }
                }
            })
        expectOnly(
            .needsConversion, problems, saying: "Spot.age, 0.0.1 → 0.0.2", "Int became String",
            "Convert(\"Place.age\", using:")
    }

    @Test func otherCasesNeedAConversion() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .enumeration("K", ["x", "y"])) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Attribute("a", .enumeration("K", ["y", "z"])) }
                }
            })
        expectOnly(.needsConversion, problems, saying: "A.a, 0.0.1 → 0.0.2")
    }

    @Test func aReferenceToSomethingElseIsRefused() {
        let problems = Toy.problems(
            {
                Models {
                    Model("A") { Relationship("b", toOne: "B") }; Model("B"); Model("C")
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Relationship("b", toOne: "C") }
                }
            })
        expectOnly(.retargeted, problems, saying: "A.b, 0.0.1 → 0.0.2", "referred to B", "refers to C")
    }

    @Test func aReferenceToARenamedEntityIsTheSame() throws {
        let plan = try Toy.plan(
            {
                Models {
                    Model("A") { Relationship("b", toOne: "B") }; Model("B")
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("Bee", originalName: "B")
                }
            })
        #expect(plan.schemas[1].entity("A")?.relationships.first?.target == "Bee")
        #expect(plan.hub.entities[0].columns.count == 1)
    }

    // MARK: What is safe

    @Test("S5_18: an added optional attribute follows from the versions, and needs no declaration")
    func anOptionalAttributeIsSafe() throws {
        let older: @Sendable () -> Models = { Models { Model("Place") { Attribute("name", .string) } } }
        let newer: @Sendable () -> Models = {
            Models {
                Inherits(Toy.V1.self); Model("Place") { Attribute("label", .string.optional) }
            }
        }
        let plan = try Toy.plan(older, newer)
        #expect(!plan.stages[0].isCustom)
        #expect(plan.hub.entities[0].columns.map(\.isNullable) == [false, true])
        expectOnly(.wrongKind, Toy.problems(older, newer, stages: [Toy.custom {}]), saying: ".lightweight(")
    }

    @Test("S5_08: a relationship can be added, because no version's records need one")
    func anAddedRelationshipIsNeverRequired() throws {
        let plan = try Toy.plan(
            { Models { Model("Place") { Attribute("name", .string) } } },
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("Owner") { Attribute("name", .string) }
                    Model("Place") { Relationship("owner", toOne: "Owner") }
                }
            })
        #expect(!plan.stages[0].isCustom)
        let newer = try #require(plan.projection(version: 1, named: "Place"))
        let owner = newer.fields[try #require(newer.field(named: "owner"))]
        #expect(owner.type.isOptional && owner.isOmissible)
        #expect(plan.hub.entities[0].columns[owner.column].isNullable)
        #expect(plan.hub.entities[0].references.map(\.diesWithTarget) == [false])
    }
}

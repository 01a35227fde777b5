import Testing

@testable import WireFormats

/// What a step between two versions must say, and may not.
@Suite struct StageCheckTests {
    // MARK: Renaming

    @Test func anEntityThatLooksRenamedIsAmbiguousWithBothRemedies() {
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

    @Test func anAttributeThatLooksRenamedIsAmbiguous() {
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

    @Test func anOriginalNameThatNothingHadListsWhatThereIs() {
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

    @Test func aRequiredAttributeWithoutDefaultIsRefused() {
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

    @Test func anotherTypeNeedsAConversion() {
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

    // MARK: Instructions

    @Test func aConversionOfOtherTypesIsRefused() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Attribute("a", .string) }
                }
            },
            stages: [Toy.custom { Convert("A.a", using: DoubleDecimal()) }])
        expectOnly(.badConversion, problems, saying: "A.a, 0.0.1 → 0.0.2", "DoubleDecimal", "Double", "Decimal", "Int")
    }

    @Test func aConversionThatIgnoresOptionalityIsRefused() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .double.optional) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Attribute("a", .decimal) }
                }
            },
            stages: [Toy.custom { Convert("A.a", using: DoubleDecimal()) }])
        expectOnly(.badConversion, problems, saying: "Double?")
    }

    @Test func aConversionOfWhatIsNotThereIsRefused() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .double) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Attribute("a", .double) }
                }
            },
            stages: [Toy.custom { Convert("A.b", using: DoubleDecimal()) }])
        expectOnly(.unknownName, problems, saying: "A.b", "0.0.1 → 0.0.2", "convert")
    }

    @Test func twoConversionsOfOneAttributeAreRefused() {
        let models: @Sendable () -> Models = { Models { Model("A") { Attribute("a", .double) } } }
        expectOnly(
            .duplicate,
            Toy.problems(
                models,
                {
                    Models {
                        Inherits(Toy.V1.self); Model("A") { Attribute("a", .decimal) }
                    }
                },
                stages: [
                    Toy.custom {
                        Convert("A.a", using: DoubleDecimal())
                        Convert("A.a", using: DoubleDecimal())
                    }
                ]), saying: "A.a, 0.0.1 → 0.0.2")
        expectOnly(
            .duplicate,
            Toy.problems(
                models,
                {
                    Models {
                        Model("A") {
                            Attribute("b", .decimal); Attribute("c", .decimal)
                        }
                    }
                },
                stages: [
                    Toy.custom {
                        Convert("A.a", to: "b", using: DoubleDecimal())
                        Convert("A.a", to: "c", using: DoubleDecimal())
                    }
                ]), saying: "A.a, 0.0.1 → 0.0.2")
    }

    @Test func anAttributeThatIsConvertedAwayAndStillThereIsAmbiguous() {
        let problems = Toy.problems(
            {
                Models {
                    Model("A") {
                        Attribute("a", .double.optional); Attribute("b", .double)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Attribute("c", .decimal) }
                }
            },
            stages: [Toy.custom { Convert("A.b", to: "c", using: DoubleDecimal()) }])
        expectOnly(.ambiguous, problems, saying: "A.b", "0.0.1 → 0.0.2", "‘c’")
    }

    @Test func anInstructionThatConcernsNothingIsRefused() {
        let models: @Sendable () -> Models = { Models { Model("A") { Attribute("a", .double) } } }
        func problems(@StageBuilder _ instructions: () -> [StageInstruction]) -> [PlanProblem] {
            Toy.problems(models, { Models { Inherits(Toy.V1.self) } }, stages: [Toy.custom(instructions)])
        }
        expectOnly(
            .unusedInstruction, problems { Convert("B.a", using: DoubleDecimal()) }, saying: "B.a, 0.0.1 → 0.0.2")
        expectOnly(.unusedInstruction, problems { Substitute("A.a", 1.5) }, saying: "A.a, 0.0.1 → 0.0.2")
        expectOnly(.unusedInstruction, problems { UnknownCase("A.z", reads: "x") }, saying: "A.z, 0.0.1 → 0.0.2")
        expectOnly(.unusedInstruction, problems { Distinct("A.z", from: "A.a") }, saying: "A.z, 0.0.1 → 0.0.2")
        expectOnly(.unusedInstruction, problems { Distinct("Z", from: "A") }, saying: "Z, 0.0.1 → 0.0.2")
    }

    @Test func anUnknownCaseThatNobodyCanReadIsUnused() {
        let models: @Sendable () -> Models = {
            Models { Model("A") { Attribute("a", .enumeration("K", ["x", "y"])) } }
        }
        let problems = Toy.problems(
            models, { Models { Inherits(Toy.V1.self) } }, stages: [Toy.custom { UnknownCase("A.a", reads: "x") }])
        expectOnly(.unusedInstruction, problems, saying: "A.a, 0.0.1 → 0.0.2")
    }

    @Test func anUnknownCaseThatIsNoCaseIsRefused() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .enumeration("K", ["x"])) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Attribute("a", .enumeration("K", ["x", "y"])) }
                }
            },
            stages: [Toy.custom { UnknownCase("A.a", reads: "z") }])
        expectOnly(.badDefault, problems, saying: "A.a, 0.0.1 → 0.0.2", "‘z’")
    }

    @Test func aSubstituteOfAnotherTypeIsRefused() {
        let problems = Toy.problems(
            {
                Models {
                    Model("A") {
                        Attribute("a", .int); Attribute("b", .string)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Removed("a") }
                }
            },
            stages: [Toy.custom { Substitute("A.a", "one") }])
        expectOnly(.badDefault, problems, saying: "A.a, 0.0.1 → 0.0.2", "Int")
        let other = Toy.problems(
            {
                Models {
                    Model("A") {
                        Attribute("a", .int); Attribute("b", .string)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Removed("a") }
                }
            },
            stages: [Toy.custom { Substitute("A.a", .attribute("b")) }])
        expectOnly(.badDefault, other, saying: "A.a, 0.0.1 → 0.0.2", "Int")
    }

    @Test func aSubstituteThatIsItselfSubstitutedIsRefused() {
        let problems = Toy.problems(
            {
                Models {
                    Model("A") {
                        Attribute("a", .int); Attribute("b", .int); Attribute("c", .int)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Removed("a", "b") }
                }
            },
            stages: [
                Toy.custom {
                    Substitute("A.a", .attribute("b")); Substitute("A.b", .attribute("a"))
                }
            ])
        #expect(problems.map(\.code) == [.badDefault, .badDefault], "\(problems)")
    }

    @Test func casesAreMappedBetweenCasesOnly() {
        let models: @Sendable () -> Models = {
            Models {
                Model("A") {
                    Attribute("a", .enumeration("K", ["x", "y"])); Attribute("n", .int)
                }
            }
        }
        func problems(@StageBuilder _ instructions: () -> [StageInstruction]) -> [PlanProblem] {
            Toy.problems(
                models,
                {
                    Models {
                        Inherits(Toy.V1.self); Model("A") { Attribute("a", .enumeration("K", ["y", "z"])) }
                    }
                },
                stages: [Toy.custom(instructions)])
        }
        #expect(problems { MapCases("A.a", [("x", "z")], unknown: (older: "x", newer: "z")) }.isEmpty)
        expectOnly(
            .badConversion, problems { MapCases("A.a", [("x", "zz")], unknown: (older: "x", newer: "z")) },
            saying: "A.a, 0.0.1 → 0.0.2", "‘zz’")
        expectOnly(
            .badConversion, problems { MapCases("A.a", [("xx", "z")], unknown: (older: "x", newer: "z")) },
            saying: "‘xx’")
        expectOnly(.badConversion, problems { MapCases("A.a", unknown: (older: "q", newer: "z")) }, saying: "‘q’")
        expectOnly(.badConversion, problems { MapCases("A.a", unknown: (older: "x", newer: "q")) }, saying: "‘q’")
        let number = Toy.problems(
            models, { Models { Inherits(Toy.V1.self) } },
            stages: [Toy.custom { MapCases("A.n", unknown: (older: "x", newer: "y")) }])
        expectOnly(.badConversion, number, saying: "A.n, 0.0.1 → 0.0.2", "Int")
    }
}

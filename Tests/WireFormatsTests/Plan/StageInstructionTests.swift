import Testing

@testable import WireFormats

/// The valid instructions of a custom stage.
@Suite struct StageInstructionTests {
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

    @Test func aConversionOfOtherNumbersOfAttributesIsRefused() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .string) } } },
            {
                Models {
                    Inherits(Toy.V1.self);
                    Model("A") {
                        Removed("a"); Attribute("b", .array(of: .string))
                    }
                }
            },
            stages: [Toy.custom { Convert("A.a", to: "b", using: TwoWords()) }])
        expectOnly(
            .badConversion, problems, saying: "A.a, 0.0.1 → 0.0.2", "TwoWords converts [String, String] to [[String]]",
            "the schemas have [String] and [[String]]")
    }

    @Test func anAttributeThatAConversionNamesTwiceIsRefused() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .string) } } },
            {
                Models {
                    Inherits(Toy.V1.self);
                    Model("A") {
                        Removed("a"); Attribute("b", .array(of: .string))
                    }
                }
            },
            stages: [Toy.custom { Convert("A.a", "a", to: "b", using: TwoWords()) }])
        expectOnly(.duplicate, problems, saying: "A.a, a", "names one of its attributes twice")
    }

    @Test func severalAttributesInOneColumnAreRefused() {
        struct Exact: Conversion {
            func up(_ older: (String, String)) -> [String] { [older.0, older.1] }
            func down(_ newer: [String]) -> (String, String) { (newer.first ?? "", newer.last ?? "") }
            let fidelity = Fidelity.exact
            let examples = [("a", "b")]
        }
        let problems = Toy.problems(
            {
                Models {
                    Model("A") {
                        Attribute("a", .string); Attribute("c", .string)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self);
                    Model("A") {
                        Removed("a", "c"); Attribute("b", .array(of: .string))
                    }
                }
            },
            stages: [Toy.custom { Convert("A.a", "c", to: "b", using: Exact()) }])
        expectOnly(.badConversion, problems, saying: "A.a, c", "Leave its `fidelity` out.")
    }

    private struct TwoWords: Conversion {
        func up(_ older: (String, String)) -> [String] { [older.0, older.1] }
        func down(_ newer: [String]) -> (String, String) { (newer.first ?? "", newer.last ?? "") }
        let examples = [("a", "b")]
    }

    /// Attributes that have no value yet are converted as well.
    @Test func aStructThatTheBeginningIsNoneOfIsRefused() {
        struct Name: CodableValue {
            var first: String
        }
        struct FirstName: Conversion {
            func up(_ name: String) -> Name { Name(first: name) }
            func down(_ name: Name) -> String { name.first }
            let examples = ["Ada"]
        }
        func problems(_ name: Attribute) -> [PlanProblem] {
            Toy.problems(
                { Models { Model("A") { Attribute("a", .string) } } },
                {
                    Models {
                        Inherits(Toy.V1.self);
                        Model("A") {
                            Removed("a"); name
                        }
                    }
                },
                stages: [Toy.custom { Convert("A.a", to: "name", using: FirstName()) }])
        }
        expectOnly(
            .badDefault, problems(Attribute("name", .codable("Name"))),
            saying: "FirstName cannot read {} (JSON), with which ‘name’ begins", "Give it a default")
        expectOnly(
            .badDefault, problems(Attribute("name", .codable("Name"), default: .json(#"{"first":1}"#))),
            saying: "‘name’")
        #expect(problems(Attribute("name", .codable("Name"), default: .json(#"{"first":""}"#))).isEmpty)
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

import Testing

@testable import WireFormats

/// One plan for each fault that the check of a whole plan finds.
@Suite struct PlanCheckTests {
    @Test(arguments: ["", "Kitchen", "1st", "sync", "pg_toy", "my-app", "a.b", String(repeating: "a", count: 41)])
    func aNameThatIsNoSchemaAndNoURLSegmentIsRefused(name: String) {
        expectOnly(
            .badAppName, Toy.problems({ Models { Model("A") { Attribute("a", .int) } } }, change: { $0.app = name }))
    }

    @Test func aPlanWithoutVersionsIsRefused() {
        expectOnly(.noVersions, Toy.problems(), saying: "toy", "`schemas`")
    }

    @Test("S1_13: versions out of order are refused")
    func versionsOutOfOrderAreRefused() {
        let problems = Toy.problems(
            { Models {} }, { Models {} }, change: { $0.versions = [Schema.Version(0, 0, 2), Schema.Version(0, 0, 1)] })
        expectOnly(.versionOrder, problems, saying: "0.0.2, 0.0.1")
    }

    @Test func oneNumberForTwoVersionsIsRefused() {
        let problems = Toy.problems(
            { Models {} }, { Models {} }, change: { $0.versions = [Schema.Version(1, 0, 0), Schema.Version(1, 0, 0)] })
        expectOnly(.versionOrder, problems, saying: "1.0.0, 1.0.0")
    }

    @Test("S2_02: neighbours without a stage are refused, with what to write")
    func neighboursWithoutAStageAreRefused() {
        expectOnly(
            .missingStage, Toy.problems({ Models {} }, { Models {} }, change: { $0.stages = [] }),
            saying: "0.0.1 → 0.0.2",
            ".lightweight(fromVersion: V1.self, toVersion: V2.self)")
    }

    @Test("S2_02: neighbours with two stages are refused")
    func neighboursWithTwoStagesAreRefused() {
        let problems = Toy.problems({ Models {} }, { Models {} }, change: { $0.stages += $0.stages })
        expectOnly(.missingStage, problems, saying: "2 stages")
    }

    @Test("S2_02: a stage between versions that are not neighbours is refused")
    func aStageBetweenVersionsThatAreNotNeighboursIsRefused() {
        let problems = Toy.problems(
            { Models {} }, { Models {} }, { Models {} },
            change: { $0.stages.append(.lightweight(fromVersion: Toy.V1.self, toVersion: Toy.V3.self)) })
        expectOnly(.wrongStage, problems, saying: "V1 → V3")
    }

    @Test("S2_01: a version missing from the list is refused by its stages")
    func aVersionMissingFromTheListIsRefusedByItsStages() {
        let problems = Toy.problems(
            { Models {} }, { Models {} }, { Models {} }, change: { $0.schemas = [Toy.V1.self, Toy.V3.self] })
        #expect(Set(problems.map(\.code)) == [.missingStage, .wrongStage])
    }

    @Test func aBaselineThatIsNoVersionOfThePlanIsRefused() {
        let problems = Toy.problems({ Models {} }, { Models {} }, change: { $0.baseline = Toy.V3.self })
        expectOnly(.unknownBaseline, problems, saying: "V3", "`schemas`")
    }

    @Test func theBaselineIsAVersionOfThePlanOrNone() throws {
        let models: @Sendable () -> Models = { Models {} }
        #expect(try Toy.plan(models, models).baseline == nil)
        #expect(try Toy.plan(models, models, change: { $0.baseline = Toy.V1.self }).baseline == 0)
        #expect(try Toy.plan(models, models, change: { $0.baseline = Toy.V2.self }).baseline == 1)
    }

    @Test("S2_06, S3_04: a custom stage without instructions is refused, for it is lightweight")
    func aCustomStageWithoutInstructionsIsRefused() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .int) } } }, { Models { Inherits(Toy.V1.self) } },
            stages: [Toy.custom {}])
        expectOnly(.wrongKind, problems, saying: "0.0.1 → 0.0.2", ".lightweight(")
    }

    @Test func anEntityNameThatMeantAnotherEntityIsRefused() {
        let problems = Toy.problems(
            { Models { Model("Meal") { Attribute("kcal", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self); RemovedModel("Meal")
                }
            },
            {
                Models {
                    Inherits(Toy.V2.self); Model("Meal") { Attribute("photo", .data) }
                }
            })
        expectOnly(.reusedName, problems, saying: "Meal, 0.0.3")
    }

    /// The answer that an import writes for a model that some versions in between lack.
    @Test func whatAllVersionsCarryMayBeStatedAgain() {
        let meal = { @Sendable in
            Model("Meal") {
                Attribute("kcal", .int); Attribute("note", .string.optional)
            }
        }
        let problems = Toy.problems(
            { Models { meal() } }, { Models { Inherits(Toy.V1.self) } },
            {
                Models {
                    Inherits(Toy.V2.self); meal()
                }
            })
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func theNameOfARenamedEntityIsNotFreeAgain() {
        let problems = Toy.problems(
            { Models { Model("Meal") { Attribute("kcal", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("Dinner", originalName: "Meal")
                    Model("Meal") { Attribute("photo", .data) }
                }
            })
        expectOnly(.reusedName, problems, saying: "Meal, 0.0.2")
    }

    @Test func anEntityThatWasLocalInBetweenIsRefused() {
        let problems = Toy.problems(
            { Models { Model("Meal") { Attribute("kcal", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("Meal", scope: .local)
                }
            },
            {
                Models {
                    Inherits(Toy.V2.self); Model("Meal", scope: .synced)
                }
            })
        expectOnly(.reusedName, problems, saying: "Meal, 0.0.3")
    }

    /// Stages are compiled only from valid schemas, but their open questions are known before.
    @Test func whatIsToDecideInStagesIsListedWithWhatIsInModels() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Undecided("of the model", at: "A.swift:1") }
                }
            },
            stages: [Toy.custom { Undecided("of the stage", at: "A.swift:2") }])
        #expect(problems.map(\.code) == [.undecided, .undecided])
        #expect(problems.map(\.subject) == ["A, 0.0.2", "0.0.1 → 0.0.2"])
    }

    @Test func allProblemsAreReportedAtOnce() {
        let problems = Toy.problems({
            Models {
                Model("A") { Attribute("a", .int, default: "one") }
                Model("B") { Relationship("c", toOne: "C") }
            }
        })
        #expect(Set(problems.map(\.code)) == [.badDefault, .unknownTarget])
        #expect("\(PlanError(app: "toy", problems: problems))".hasPrefix("The plan of ‘toy’ has 2 problems:\n  - "))
    }
}

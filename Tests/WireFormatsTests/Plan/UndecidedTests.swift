import Testing

@testable import WireFormats

/// Open questions of a plan: it is valid only when all are answered.
@Suite struct UndecidedTests {
    @Test func aQuestionOfAVersionIsAProblem() {
        let problems = Toy.problems({
            Models {
                Undecided("is it a model?", at: "Trip.swift:1")
                Model("Trip") {
                    Identity("id")
                    Undecided("what is it?", at: "Trip.swift:12", choices: "this", "that")
                }
            }
        })
        #expect(problems.map(\.code) == [.undecided, .undecided])
        #expect(
            problems.map(\.description) == [
                "the models, 0.0.1: is it a model? (Trip.swift:1). Answer it, and remove `Undecided`. [undecided]",
                "Trip, 0.0.1: what is it? (Trip.swift:12). Put one in the place of `Undecided`, or do what it says: "
                    + "`this`; or `that`. [undecided]",
            ])
    }

    @Test func aQuestionOfAStageIsAProblemAndMakesItCustom() {
        let trip: @Sendable () -> Models = { Models { Model("Trip") { Identity("id") } } }
        let stage = Toy.custom { Undecided("what is it?", at: "Trip.swift:12", choices: "this", "that") }
        let problems = Toy.problems(trip, trip, stages: [stage])
        #expect(problems.map(\.code) == [.undecided])
        #expect(problems.first?.subject == "0.0.1 → 0.0.2")
    }

    @Test func whatInheritsAQuestionDoesNotAskAgain() {
        let problems = Toy.problems(
            { Models { Model("Trip") { Undecided("what is it?", at: "Trip.swift:12") } } },
            { Models { Inherits(Toy.V1.self) } })
        #expect(problems.map(\.code) == [.undecided])
    }
}

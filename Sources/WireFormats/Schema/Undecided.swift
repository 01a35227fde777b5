/// A question that the author of a plan has yet to answer, where an import found what it cannot know. While one is in a
/// plan, the plan's check fails with it; whoever answers puts the chosen statement in its place.
///
/// ```swift
/// Model("Trip") {
///     Undecided(
///         "‘price’ is a ‘Money’, which the sources do not declare: how does it travel?", at: "Trip.swift:12",
///         choices: "Attribute(\"price\", .codable(\"Money\"))", "nothing: it stays out")
/// }
/// ```
public struct Undecided: Hashable, Sendable {
    package let question: String
    /// Where the question comes from, as `file:line`.
    package let place: String
    /// What can be written instead of it.
    package let choices: [String]

    /// - Parameters:
    ///   - place: the file and line of the app's sources that raise the question.
    ///   - choices: what can be written instead.
    public init(_ question: String, at place: String, choices: String...) {
        self.init(question, at: place, choices: choices)
    }

    package init(_ question: String, at place: String, choices: [String]) {
        (self.question, self.place, self.choices) = (question, place, choices)
    }
}

extension Undecided {
    /// - Parameter subject: what it stands in, and in which version or between which.
    func problem(in subject: String) -> PlanProblem {
        PlanProblem(
            code: .undecided, subject: subject, message: "\(question) (\(place))",
            remedy: choices.isEmpty
                ? "Answer it, and remove `Undecided`."
                : "Put one in the place of `Undecided`, or do what it says: "
                    + "\(choices.map { "`\($0)`" }.joined(separator: "; or ")).")
    }
}

/// An open question to the author of a plan. An import of the app's models writes it where the sources do not contain
/// the answer. While it is in the plan, the plan's check fails and reports the question. The author replaces it by one
/// of the proposed statements.
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
    /// The location in the app's sources that the question is about, as `file:line`.
    package let location: String
    /// The statements that can replace this one. The author chooses one of them.
    package let choices: [String]

    /// States an open question.
    ///
    /// - Parameters:
    ///   - question: the question, which the plan's check repeats until it is answered.
    ///   - location: the location in the app's sources that the question is about, as `file:line`.
    ///   - choices: the statements that can be written instead.
    public init(_ question: String, at location: String, choices: String...) {
        self.init(question, at: location, choices: choices)
    }

    package init(_ question: String, at location: String, choices: [String]) {
        (self.question, self.location, self.choices) = (question, location, choices)
    }
}

extension Undecided {
    /// The problem that the plan's check reports for an open question.
    ///
    /// - Parameter subject: the model or stage that contains the question, and its version or versions.
    func problem(in subject: String) -> PlanProblem {
        PlanProblem(
            code: .undecided, subject: subject, message: "\(question) (\(location))",
            remedy: choices.isEmpty
                ? "Answer it, and remove `Undecided`."
                : "Put one in the place of `Undecided`, or do what it says: "
                    + "\(choices.map { "`\($0)`" }.joined(separator: "; or ")).")
    }
}

/// An open question to the author of a plan, written by an import that could not find the answer in the sources. As
/// long as the plan contains one, the plan's check fails and reports the question. The author replaces it by the chosen
/// statement.
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
    /// The location in the app's sources that raises the question, as `file:line`.
    package let location: String
    /// The statements that can be written instead of this one.
    package let choices: [String]

    /// - Parameters:
    ///   - question: the question, which the plan's check repeats until it is answered.
    ///   - location: the file and line of the app's sources that raise the question.
    ///   - choices: the statements that can be written instead.
    public init(_ question: String, at location: String, choices: String...) {
        self.init(question, at: location, choices: choices)
    }

    package init(_ question: String, at location: String, choices: [String]) {
        (self.question, self.location, self.choices) = (question, location, choices)
    }
}

extension Undecided {
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

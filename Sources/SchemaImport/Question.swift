import SourceFacts
package import WireFormats

/// A question that the sources do not answer and that must not be guessed, with its location and the possible answers.
package struct Question: Hashable, Sendable {
    /// The kind of a question. Its raw value never changes, so that tests and tools can use it.
    package enum Code: String, Sendable {
        case type, standard = "default", identity, inverse, missingInverse = "missing-inverse"
        case manyToMany = "many-to-many", uniqueness, condition, wrapper
        case renaming, returned, originalName = "original-name", inheritance, order
        case version, shape, stage, duplicate, constant
        /// A problem that the check of the migration plan reports, as a question with the problem's message as its
        /// text.
        case plan
    }

    /// One possible answer to a question.
    package struct Choice: Hashable, Sendable {
        /// The statement that answers the question, to be written in its place. It may also be an action, such as
        /// “remove this”.
        package let statement: String
        /// The effect that the choice has on older versions and on devices; empty if there is nothing to say.
        package let effect: String
        /// Further declarations that the statement requires, such as a linking model, as lines of code.
        package let needs: [String]

        package init(_ statement: String, _ effect: String, needs: [String] = []) {
            (self.statement, self.effect, self.needs) = (statement, effect, needs)
        }

        /// True if the choice names an option of the import command, such as `--rename`.
        package var namesOption: Bool { statement.hasPrefix("--") || effect.contains(" --re") }

        /// The text that is shown for the choice: the statement and, if there is one, the effect.
        package var text: String { effect.isEmpty ? statement : "\(statement): \(effect)" }
    }

    package let code: Code
    /// The name of the model that the question is about; `nil` if it is about several models, or about none.
    package var entity: String?
    /// The name of the property that the question is about; `nil` if it is not about a property.
    package var member: String?
    /// The version whose file contains the question. For a question in a stage, it is the newer version of the stage.
    package var version: Schema.Version?
    /// The location in the sources: `Trip.swift:12`. For an older snapshot of the sources, its tag comes first:
    /// `v1.2.0:Trip.swift:12`.
    package var place: String
    /// The question in words.
    package let text: String
    package internal(set) var choices: [Choice]
    /// True if the question's property is left out of the schema until the question is answered.
    package var leavesOut = false
    /// The default value that the sources state for the property; `nil` if they state none. If records of older
    /// versions lack the property, the import writes this default into the plan instead of asking.
    var answer: Default?
    /// The earlier name of the question's property, if the sources state one (`originalName`).
    var oldName: String?

    init(
        _ code: Code, entity: String? = nil, member: String? = nil, at location: SourceLocation, _ text: String,
        leavesOut: Bool = false, choices: [Choice]
    ) {
        self.code = code
        self.entity = entity
        self.member = member
        place = "\(location)"
        self.text = text
        self.leavesOut = leavesOut
        self.choices = choices
    }

    /// Returns the question with the property's old name (`originalName`) added to each declaration that the question
    /// proposes. Used if the previous version asks the same question under the old name.
    func renaming() -> Question {
        guard let oldName else { return self }
        var question = self
        question.choices = choices.map { choice in
            let isStatement = ["Attribute(", "Relationship("].contains { choice.statement.hasPrefix($0) }
            return isStatement && choice.statement.hasSuffix(")")
                ? Choice(
                    "\(choice.statement.dropLast()), originalName: \"\(oldName)\")", choice.effect, needs: choice.needs)
                : choice
        }
        return question
    }

    /// The key by which the same question is recognized in other versions.
    var key: [String] { [code.rawValue, entity ?? "", member ?? "", text] }

    /// The model and the property that the question is about: `Trip.price`, or only `Trip`, or empty.
    package var subject: String { [entity, member].compactMap(\.self).joined(separator: ".") }
}

extension Question: CustomStringConvertible {
    package var description: String {
        let head = [subject, version.map { "\($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        return "\(place): \(head.isEmpty ? "" : "\(head): ")\(text)"
    }
}

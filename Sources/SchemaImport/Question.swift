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
        /// A question made of a problem that the plan's own check reports. Its text is the problem's message.
        case plan
    }

    /// One possible answer to a question.
    package struct Choice: Hashable, Sendable {
        /// The statement to write in place of the question, or an action to take instead.
        package let statement: String
        /// The effect that the choice has on older versions and on devices; empty if there is nothing to say.
        package let effect: String
        /// Further declarations, as lines of code, that the statement needs beside it.
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
    /// The version in whose file the question is asked; if it is asked in a stage, the newer version of the two.
    package var version: Schema.Version?
    /// The location in the sources: `Trip.swift:12`. For an older snapshot of the sources, its tag comes first:
    /// `v1.2.0:Trip.swift:12`.
    package var place: String
    /// The question in words.
    package let text: String
    package internal(set) var choices: [Choice]
    /// True if the question's property is left out of the schema until the question is answered.
    package var leavesOut = false
    /// The default that the sources state for the property. It answers the question without the user if only records of
    /// older versions need it. `nil` if the sources state none.
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

    /// Returns the question with the property's old name (`originalName`) in each statement that it proposes. Used if
    /// the previous version asks the same question under the old name.
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

    /// The key that identifies the question. It is equal for the same question about the same thing, in whatever
    /// version it is asked.
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

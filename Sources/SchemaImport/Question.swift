import SourceFacts
package import WireFormats

/// A question that the sources do not answer and that must not be guessed, with its location and the possible answers.
package struct Question: Hashable, Sendable {
    /// The kind of question. Its raw value is stable, for tests and tools.
    package enum Code: String, Sendable {
        case type, standard = "default", identity, inverse, missingInverse = "missing-inverse"
        case manyToMany = "many-to-many", uniqueness, condition, wrapper
        case renaming, returned, originalName = "original-name", inheritance, order
        case version, shape, stage, duplicate, constant
        /// A question that comes from a problem that the plan's own check reports. Its text is the problem's message.
        case plan
    }

    /// One possible answer.
    package struct Choice: Hashable, Sendable {
        /// The statement to write, or the action to take instead.
        package let statement: String
        /// The effect of the choice on older versions and devices.
        package let effect: String
        /// Lines of declarations that must be written beside the statement.
        package let needs: [String]

        package init(_ statement: String, _ effect: String, needs: [String] = []) {
            (self.statement, self.effect, self.needs) = (statement, effect, needs)
        }

        /// True if the choice names an option of the import.
        package var namesOption: Bool { statement.hasPrefix("--") || effect.contains(" --re") }

        /// The statement and the effect, if there is one.
        package var text: String { effect.isEmpty ? statement : "\(statement): \(effect)" }
    }

    package let code: Code
    /// The model; `nil` if the question is about several models.
    package var entity: String?
    /// The property; `nil` if the question is not about a property.
    package var member: String?
    /// The version in whose file the question is asked; for a stage, the later version.
    package var version: Schema.Version?
    /// The location in the sources: `Trip.swift:12`. For an older snapshot of the sources, its tag comes first:
    /// `v1.2.0:Trip.swift:12`.
    package var place: String
    /// The question in words.
    package let text: String
    package internal(set) var choices: [Choice]
    /// True if the property is left out of the schema until the question is answered.
    package var leavesOut = false
    /// The default that answers the question without the user, if only records of older versions need it and the
    /// sources state one; `nil` otherwise.
    var answer: Default?
    /// The property's earlier name, as the sources state it.
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

    /// Returns the question with the property's old name in every statement. Used if the previous version asks the same
    /// question under the old name.
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

    /// Identifies the question: equal for the same question about the same thing, wherever it is asked.
    var key: [String] { [code.rawValue, entity ?? "", member ?? "", text] }

    /// The model and the property: `Trip.price`, `Trip` or empty.
    package var subject: String { [entity, member].compactMap(\.self).joined(separator: ".") }
}

extension Question: CustomStringConvertible {
    package var description: String {
        let head = [subject, version.map { "\($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        return "\(place): \(head.isEmpty ? "" : "\(head): ")\(text)"
    }
}

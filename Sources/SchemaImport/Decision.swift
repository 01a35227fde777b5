import SourceFacts
package import WireFormats

/// Something that the sources do not tell and nobody may guess: a question, where it comes from, and what can be
/// written to answer it.
package struct Decision: Hashable, Sendable {
    /// What kind of question it is; stable, for tests and tools.
    package enum Code: String, Sendable {
        case type, standard = "default", identity, inverse, missingInverse = "missing-inverse"
        case manyToMany = "many-to-many", uniqueness, condition, wrapper
        case renaming, returned, originalName = "original-name", inheritance, order
        case version, shape, stage, duplicate, constant
        /// The plan's own check asks, see its problem.
        case plan
    }

    /// One possible answer.
    package struct Choice: Hashable, Sendable {
        /// The statement to write, or what to do instead.
        package let statement: String
        /// What it means for older versions and for devices.
        package let effect: String
        /// Declarations that the statement needs beside it, in lines.
        package let needs: [String]

        package init(_ statement: String, _ effect: String, needs: [String] = []) {
            (self.statement, self.effect, self.needs) = (statement, effect, needs)
        }

        /// True where an option of the import is an answer.
        package var namesOption: Bool { statement.hasPrefix("--") || effect.contains(" --re") }

        /// Both, where there are both.
        package var text: String { effect.isEmpty ? statement : "\(statement): \(effect)" }
    }

    package let code: Code
    /// The model; `nil` where the question is about more than one.
    package var entity: String?
    /// The property.
    package var member: String?
    /// The version in whose file it is asked; in a stage, the later one.
    package var version: Schema.Version?
    /// `Trip.swift:12`; of an older state of the sources with its tag before: `v1.2.0:Trip.swift:12`.
    package var place: String
    package let question: String
    package internal(set) var choices: [Choice]
    /// Whether the property is not among the schema's until it is answered.
    package var leavesOut = false
    /// The default that answers it, where the sources have one that a plan needs only for older records.
    var answer: Default?
    /// What the property was called before, as the sources say.
    var oldName: String?

    init(
        _ code: Code, entity: String? = nil, member: String? = nil, at location: SourceLocation, _ question: String,
        leavesOut: Bool = false, choices: [Choice]
    ) {
        self.code = code
        self.entity = entity
        self.member = member
        place = "\(location)"
        self.question = question
        self.leavesOut = leavesOut
        self.choices = choices
    }

    /// With the old name in every statement: the version before has the answer to the same question under that.
    func renaming() -> Decision {
        guard let oldName else { return self }
        var decision = self
        decision.choices = choices.map { choice in
            let isStatement = ["Attribute(", "Relationship("].contains { choice.statement.hasPrefix($0) }
            return isStatement && choice.statement.hasSuffix(")")
                ? Choice(
                    "\(choice.statement.dropLast()), originalName: \"\(oldName)\")", choice.effect, needs: choice.needs)
                : choice
        }
        return decision
    }

    /// The same question of the same thing, wherever it is asked.
    var key: [String] { [code.rawValue, entity ?? "", member ?? "", question] }

    /// `Trip.price`; `Trip`; empty.
    package var subject: String { [entity, member].compactMap(\.self).joined(separator: ".") }
}

extension Decision: CustomStringConvertible {
    package var description: String {
        let head = [subject, version.map { "\($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        return "\(place): \(head.isEmpty ? "" : "\(head): ")\(question)"
    }
}

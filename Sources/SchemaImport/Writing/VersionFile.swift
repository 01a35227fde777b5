package import WireFormats

/// The Swift file that declares one version, as text.
package struct VersionFile: Sendable {
    /// The name of a version's type, with the type that encloses it.
    package struct Name: Hashable, Sendable {
        /// The enclosing type, such as `Pantry`; `nil` for a top-level type.
        package let namespace: String?
        /// The type's own name, such as `SchemaV3`.
        package let type: String
        /// True if the generated code declares the type as `public`.
        package let isPublic: Bool

        package init(namespace: String?, type: String, isPublic: Bool) {
            (self.namespace, self.type, self.isPublic) = (namespace, type, isPublic)
        }

        /// The type's name with its enclosing type: `Pantry.SchemaV3`.
        package var path: String { (namespace.map { "\($0)." } ?? "") + type }

        /// The file's name: `Pantry+SchemaV3.swift`.
        package var file: String { (namespace.map { "\($0)+" } ?? "") + "\(type).swift" }
    }

    package let name: Name
    /// The schema that the file declares. Of two inverse relationships, only one states the other.
    package let schema: Schema
    package let text: String

    /// Creates the file's text.
    ///
    /// - Parameters:
    ///   - documentation: a sentence about the version, for the type's comment.
    ///   - base: the version that this one inherits from: the name of its type inside the namespace, and its declared
    ///     schema. `nil` for a version that inherits nothing.
    ///   - questions: the questions to be asked in this file.
    init(
        _ name: Name, _ schema: Schema, documentation: String, after base: (type: String, schema: Schema)?,
        questions: [Question]
    ) {
        self.name = name
        self.schema = schema
        let statements = VersionStatements(schema, after: base?.schema)
        let access = name.isPublic ? "public " : ""
        let outer = name.namespace == nil ? 0 : 4
        let blank = String(repeating: " ", count: outer)
        let number = schema.version
        var lines = ["\(access)import WireFormats", ""]
        if let namespace = name.namespace { lines.append("extension \(namespace) {") }
        lines += Code.comment(documentation, outer, marker: "///")
        lines += [
            "\(blank)\(access)enum \(name.type): VersionedSchema {",
            "\(blank)    \(access)static let versionIdentifier = "
                + "Schema.Version(\(number.major), \(number.minor), \(number.patch))",
            "\(blank)    \(access)static let models = Models {",
        ]
        if let base, statements.inherits { lines.append("\(blank)        Inherits(\(base.type).self)") }
        lines += VersionFile.body(statements.elements, questions, outer + 8)
        lines += ["\(blank)    }", "\(blank)}"]
        if name.namespace != nil { lines.append("}") }
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func body(_ elements: [Models.Statement], _ questions: [Question], _ indentation: Int) -> [String] {
        var lines: [String] = []
        var asked: Set<String> = []
        for element in elements {
            switch element {
            case .model(let model):
                asked.insert(model.name)
                lines += self.lines(model, questions.filter { $0.entity == model.name }, indentation)
            case .removed(let model):
                lines += Code.call("RemovedModel", [.text(Code.literal(model.name))]).lines(indentation)
            case .inherits, .undecided: break
            }
        }
        // Questions about models without other statements, and about no model.
        let others = questions.filter { $0.entity.map { !asked.contains($0) } ?? true }
        for name in Set(others.compactMap(\.entity)).sorted() {
            lines += self.lines(Model(named: name, members: []), others.filter { $0.entity == name }, indentation)
        }
        for question in others where question.entity == nil { lines += questionLines(question, indentation) }
        return lines
    }

    private static func lines(_ model: Model, _ questions: [Question], _ indentation: Int) -> [String] {
        let head = DeclarationCode.head(model)
        if model.members.isEmpty, questions.isEmpty { return head.lines(indentation) }
        let blank = String(repeating: " ", count: indentation)
        var lines = head.lines(indentation, end: " {")
        var asked: Set<Question> = []
        for member in model.members {
            let (code, name) = code(of: member)
            lines += code.lines(indentation + 4)
            for question in questions where name != nil && question.member == name {
                asked.insert(question)
                lines += questionLines(question, indentation + 4)
            }
        }
        for question in questions where !asked.contains(question) { lines += questionLines(question, indentation + 4) }
        return lines + ["\(blank)}"]
    }

    private static func code(of member: Model.Statement) -> (Code, name: String?) {
        switch member {
        case .identity(let name, let type): (DeclarationCode.identity(name, type), name)
        case .attribute(let attribute): (DeclarationCode.attribute(attribute), attribute.name)
        case .relationship(let relationship): (DeclarationCode.relationship(relationship), relationship.name)
        case .removed(let names): (DeclarationCode.removed(names), nil)
        case .undecided(let question): (.text("Undecided(\(Code.literal(question.question)), at: \"\")"), nil)
        }
    }

    /// Returns a question as lines of code: its choices with their effects as comments, and the `Undecided` element,
    /// which makes the plan invalid until the question is answered.
    static func questionLines(_ question: Question, _ indentation: Int) -> [String] {
        question.choices.flatMap { choice in
            Code.comment(choice.text, indentation)
                + choice.needs.map { String(repeating: " ", count: indentation) + "//     " + $0 }
        } + question.element.lines(indentation)
    }
}

extension Question {
    package var element: Undecided {
        Undecided(
            code == .stage && entity != nil ? "\(subject): \(text)" : text, at: place,
            choices: choices.map(\.statement))
    }
}

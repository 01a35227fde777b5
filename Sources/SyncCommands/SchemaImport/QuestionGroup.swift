import PGMigrations
import SchemaImport

/// The open questions of an import that have the same form, so that the user can answer them together.
struct QuestionGroup {
    private(set) var questions: [Question]

    /// Groups questions by their form, and orders the groups by importance: questions about whole versions and models
    /// first, those about single values last.
    static func groups(of questions: [Question]) -> [QuestionGroup] {
        var groups: [QuestionGroup] = []
        var positions: [[String]: Int] = [:]
        for question in questions {
            let kind = [question.code.rawValue, shape(of: question.text)]
            if let position = positions[kind] {
                groups[position].questions.append(question)
            } else {
                positions[kind] = groups.count
                groups.append(QuestionGroup(questions: [question]))
            }
        }
        return groups.enumerated()
            .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }

    private var rank: Int {
        guard let first = questions.first else { return 0 }
        return switch first.code {
        case .version, .shape, .duplicate, .constant: 0
        // Other differences may only follow from it.
        case .renaming, .returned: 1
        case .type, .wrapper, .manyToMany, .inverse, .missingInverse: 2
        case .originalName, .plan, .stage: 3
        case .identity, .uniqueness, .inheritance: 4
        case .condition, .standard: 5
        // The order of versions, or of a list.
        case .order: first.entity == nil ? 0 : 5
        }
    }

    /// Returns a question's text without the names in quotation marks, so that questions of one kind have the same
    /// text.
    private static func shape(of text: String) -> String {
        var shape = ""
        var depth = 0
        for character in text {
            if character == "’" { depth = max(0, depth - 1) }
            if depth == 0 { shape.append(character) }
            if character == "‘" { depth += 1 }
        }
        return shape
    }

    /// Returns the names in a question's text, with their quotation marks.
    fileprivate static func named(in text: String) -> [String] {
        var found: [String] = []
        var name: String?
        for character in text {
            if name == nil, character == "‘" { name = "" }
            name?.append(character)
            guard character == "’", let whole = name else { continue }
            if !found.contains(whole) { found.append(whole) }
            name = nil
        }
        return found
    }

    /// The largest number of questions or subjects that are listed one after another, and of locations for one subject.
    private static let namedMax = 12

    var lines: [String] {
        guard let first = questions.first else { return [] }
        let others = questions.dropFirst()
        let same = others.filter { $0.ownQuestion == first.ownQuestion && $0.choices == first.choices }
        let own = others.filter { !same.contains($0) }
        return ["  - \(first)".wrapped()] + QuestionGroup.lines(same)
            + first.choices.flatMap { ["      \($0.text)".wrapped()] + $0.needs.map { "          \($0)" } }
            + QuestionGroup.lines(own, besides: first)
    }

    /// Returns one line that names the subjects and locations of questions with the same text. If there are no
    /// questions, returns no line.
    private static func lines(_ same: [Question]) -> [String] {
        if same.isEmpty { return [] }
        var subjects: [(subject: String, locations: [String])] = []
        for question in same {
            if let index = subjects.firstIndex(where: { $0.subject == question.subject }) {
                subjects[index].locations.append(question.place)
            } else {
                subjects.append((question.subject, [question.place]))
            }
        }
        let named = subjects.prefix(namedMax).map { subject, locations in
            (subject.isEmpty ? "" : "\(subject) at ") + locations.prefix(namedMax).joined(separator: " and ")
        }
        return [
            "    The same of \(same.count) more: \(named.joined(separator: ", "))\(more(than: subjects.count))"
                .wrapped(indent: 4)
        ]
    }

    /// Returns lines about the questions of the group that differ from `first` in more than their subject. Each line
    /// shows the possible answers that `first` does not have. If these differ from the answers to `first` only in
    /// names, just one of them is shown.
    private static func lines(_ own: [Question], besides first: Question) -> [String] {
        if own.isEmpty { return [] }
        let lines = own.prefix(namedMax).map { question in
            let statements = question.choices.map(\.statement)
            let known = Set(first.choices.map(\.statement))
            let new = statements.filter { !known.contains($0) }
            let isAlike = question.pattern == first.pattern
            let answers = isAlike && new.count > 1 ? "\(new[0]), and so on" : new.joined(separator: "; or ")
            let head = question.subject.isEmpty ? question.place : "\(question.subject) at \(question.place)"
            let own = [question.entity, question.member].compactMap(\.self).map { "‘\($0)’" }
            let names = question.names.filter { !first.names.contains($0) && !own.contains($0) }
            return "      \(([head] + names).joined(separator: ", "))\(answers.isEmpty ? "" : ": \(answers)")"
                .wrapped(indent: 10)
        }
        return ["    \(own.count) more of this kind:"] + lines
            + (own.count > namedMax ? ["     \(more(than: own.count))"] : [])
    }

    private static func more(than count: Int) -> String {
        count > namedMax ? ", and \(count - namedMax) more, which ‘--json’ lists" : ""
    }
}

extension Question {
    /// The names that the question's text mentions, with their quotation marks, such as ‘Photo’.
    fileprivate var names: [String] { QuestionGroup.named(in: text) }

    /// The question's text, with empty quotation marks in place of the names of the entity and the member that the
    /// question is about.
    fileprivate var ownQuestion: String {
        [entity, member].compactMap(\.self).reduce(text) { $0.replacing("‘\($1)’", with: "‘’") }
    }

    /// The forms of the possible answers: the answers without the names in them, and without `.optional`. Two questions
    /// have the same pattern if their answers differ only in names.
    fileprivate var pattern: Set<String> {
        Set(
            choices.map { choice in
                if choice.statement.hasPrefix("--") { return String(choice.statement.prefix { $0 != " " }) }
                return choice.statement.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                    .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "…" }.joined()
                    .replacing(".optional", with: "")
            })
    }
}

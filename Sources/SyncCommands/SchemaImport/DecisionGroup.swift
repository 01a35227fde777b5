import PGMigrations
import SchemaImport

/// Decisions of one kind, which a person can make together.
struct DecisionGroup {
    private(set) var decisions: [Decision]

    /// Groups the decisions by importance: models that were left out first, questions about single values last.
    static func groups(of decisions: [Decision]) -> [DecisionGroup] {
        var groups: [DecisionGroup] = []
        var positions: [[String]: Int] = [:]
        for decision in decisions {
            let kind = [decision.code.rawValue, shape(of: decision.question)]
            if let position = positions[kind] {
                groups[position].decisions.append(decision)
            } else {
                positions[kind] = groups.count
                groups.append(DecisionGroup(decisions: [decision]))
            }
        }
        return groups.enumerated()
            .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }

    private var rank: Int {
        guard let first = decisions.first else { return 0 }
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

    /// The question without the names in it.
    private static func shape(of question: String) -> String {
        var shape = ""
        var depth = 0
        for character in question {
            if character == "’" { depth = max(0, depth - 1) }
            if depth == 0 { shape.append(character) }
            if character == "‘" { depth += 1 }
        }
        return shape
    }

    /// The names in a question, with their quotation marks.
    fileprivate static func named(in question: String) -> [String] {
        var found: [String] = []
        var name: String?
        for character in question {
            if name == nil, character == "‘" { name = "" }
            name?.append(character)
            guard character == "’", let whole = name else { continue }
            if !found.contains(whole) { found.append(whole) }
            name = nil
        }
        return found
    }

    /// The largest number of further decisions that are listed by name.
    private static let namedMax = 12

    var lines: [String] {
        guard let first = decisions.first else { return [] }
        let others = decisions.dropFirst()
        let same = others.filter { $0.ownQuestion == first.ownQuestion && $0.choices == first.choices }
        let own = others.filter { !same.contains($0) }
        return ["  - \(first)".wrapped()] + DecisionGroup.lines(same)
            + first.choices.flatMap { ["      \($0.text)".wrapped()] + $0.needs.map { "          \($0)" } }
            + DecisionGroup.lines(own, besides: first)
    }

    /// A line for the decisions that differ from the first only in their location in the sources.
    private static func lines(_ same: [Decision]) -> [String] {
        if same.isEmpty { return [] }
        var subjects: [(subject: String, locations: [String])] = []
        for decision in same {
            if let index = subjects.firstIndex(where: { $0.subject == decision.subject }) {
                subjects[index].locations.append(decision.place)
            } else {
                subjects.append((decision.subject, [decision.place]))
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

    /// The lines for the decisions that name other things, each with its possible answers. Of several answers only the
    /// first is shown, if they differ from those of `first` only in names.
    private static func lines(_ own: [Decision], besides first: Decision) -> [String] {
        if own.isEmpty { return [] }
        let lines = own.prefix(namedMax).map { decision in
            let statements = decision.choices.map(\.statement)
            let known = Set(first.choices.map(\.statement))
            let new = statements.filter { !known.contains($0) }
            let isAlike = decision.pattern == first.pattern
            let answers = isAlike && new.count > 1 ? "\(new[0]), and so on" : new.joined(separator: "; or ")
            let head = decision.subject.isEmpty ? decision.place : "\(decision.subject) at \(decision.place)"
            let own = [decision.entity, decision.member].compactMap(\.self).map { "‘\($0)’" }
            let names = decision.names.filter { !first.names.contains($0) && !own.contains($0) }
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

extension Decision {
    /// The names in the question, with their quotation marks: ‘Photo’.
    fileprivate var names: [String] { DecisionGroup.named(in: question) }

    /// The question without the names of its entity and member.
    fileprivate var ownQuestion: String {
        [entity, member].compactMap(\.self).reduce(question) { $0.replacing("‘\($1)’", with: "‘’") }
    }

    /// The forms of the choices, without names and without the mark of optional values.
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

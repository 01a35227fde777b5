import PGMigrations
import SchemaImport

/// Questions of one kind, which a person answers together.
struct DecisionGroup {
    private(set) var decisions: [Decision]

    /// By their importance: what was left out first, what only concerns single values last.
    static func groups(of decisions: [Decision]) -> [DecisionGroup] {
        var groups: [DecisionGroup] = []
        var places: [[String]: Int] = [:]
        for decision in decisions {
            let kind = [decision.code.rawValue, shape(of: decision.question)]
            if let place = places[kind] {
                groups[place].decisions.append(decision)
            } else {
                places[kind] = groups.count
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
        case .type, .wrapper, .manyToMany, .inverse, .missingInverse: 1
        case .originalName, .plan, .stage: 2
        case .identity, .uniqueness, .inheritance: 3
        case .condition, .standard: 4
        // Of the versions, or of a list.
        case .order: first.entity == nil ? 0 : 4
        }
    }

    /// The question without what it names.
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

    /// How many of the others are named.
    private static let namedMax = 12

    var lines: [String] {
        guard let first = decisions.first else { return [] }
        var lines = ["  - \(first)".wrapped()]
        let others = decisions.dropFirst().map { "\($0.subject.isEmpty ? "" : "\($0.subject) at ")\($0.place)" }
        if !others.isEmpty {
            let named = others.prefix(DecisionGroup.namedMax).joined(separator: ", ")
            let left = others.count - DecisionGroup.namedMax
            let more = left > 0 ? ", and \(left) more" : ""
            lines.append("    The same of \(others.count) more: \(named)\(more)".wrapped(indent: 4))
        }
        return lines + first.choices.flatMap { ["      \($0.text)".wrapped()] + $0.needs.map { "          \($0)" } }
    }
}

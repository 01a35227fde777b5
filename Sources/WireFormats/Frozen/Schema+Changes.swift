extension Schema {
    /// Returns the differences between this schema and `other`, one line for each. A line begins with `-` if only this
    /// schema has it, and with `+` if only `other` has it. The lines are those from which a schema's fingerprint is
    /// computed. Each names its entity.
    package func changes(in other: Schema) -> [String] {
        let difference = other.placedLines.difference(from: placedLines)
        let changes = difference.map { change -> (offset: Int, text: String) in
            switch change {
            case .remove(let offset, let line, _): (offset, "- \(line)")
            case .insert(let offset, let line, _): (offset, "+ \(line)")
            }
        }
        return changes.sorted { $0.offset < $1.offset }.map(\.text)
    }

    /// The lines from which the schema's fingerprint is computed, with the entity's name in front of each attribute and
    /// relationship.
    private var placedLines: [String] {
        var entity = ""
        return canonicalLines.map { line in
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.first == "attribute" || words.first == "relationship" else {
                entity = words.count > 1 ? String(words[1]) : ""
                return line
            }
            return "\(entity): \(line)"
        }
    }
}

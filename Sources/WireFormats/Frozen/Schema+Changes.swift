extension Schema {
    /// Returns the differences between this schema and `other`, as lines of the text from which a schema's fingerprint
    /// is computed: `- …` for a line that only this schema has, `+ …` for a line that only `other` has. Each line names
    /// its entity.
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

    /// The lines of the text from which the schema's fingerprint is computed. The entity's name is put in front of each
    /// line that describes an attribute or relationship.
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

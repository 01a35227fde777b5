extension Schema {
    /// The differences between two schemas, line by line in the text that a fingerprint covers: `- …` for a line that
    /// `other` does not have, `+ …` for a line that only `other` has. Each line names its entity.
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

    /// The canonical lines, with the name of the entity in front of each line of an entity's member.
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

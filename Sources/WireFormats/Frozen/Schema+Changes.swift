extension Schema {
    /// The differences between two schemas in the lines that a fingerprint covers: `- …` for a line that `other` no
    /// longer has, `+ …` for a line that it has instead, each with its entity.
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

    /// The canonical lines. Each line of a member begins with the name of its entity.
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

extension Schema {
    /// The differences between two schemas in the lines that a fingerprint covers: `- …` for a line that `other` no
    /// longer has, `+ …` for a line that it has instead, each with its entity.
    package func changes(in other: Schema) -> [String] {
        let difference = other.placedLines.difference(from: placedLines)
        let changes = difference.map { change -> (place: Int, text: String) in
            switch change {
            case .remove(let place, let line, _): (place, "- \(line)")
            case .insert(let place, let line, _): (place, "+ \(line)")
            }
        }
        return changes.sorted { $0.place < $1.place }.map(\.text)
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

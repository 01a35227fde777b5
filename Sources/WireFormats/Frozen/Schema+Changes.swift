extension Schema {
    /// What `other` says differently of what a fingerprint covers: `- …` for what it no longer says, `+ …` for what it
    /// says instead, each with its entity.
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

    /// The canonical lines, those of members led by the name of their entity.
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

/// Prepares an import's notes about the app's sources for printing, and groups notes with the same text.
struct NoteGroup {
    /// The largest number of subjects that one printed line names, and the largest number of lines that are printed.
    private static let (namedMax, linesMax) = (12, 30)

    /// Returns the lines to print for the notes, with each text only once. If there are more than `linesMax`, the last
    /// line has the number of the lines that are left out.
    static func printed(_ notes: [String]) -> [String] {
        let lines = lines(of: notes)
        let left = lines.count - linesMax
        return lines.prefix(linesMax) + (left > 0 ? ["and \(left) more, which ‘--json’ lists"] : [])
    }

    /// Groups notes such as `Trip.swift:12: Trip.picture: ‘.externalStorage’ has no effect here`. Returns one line for
    /// each text, with its subjects.
    static func lines(of notes: [String]) -> [String] {
        var texts: [String] = []
        var subjects: [String: [String]] = [:]
        var whole: [String: String] = [:]
        for note in notes {
            let parts = note.split(separator: ": ", maxSplits: 2).map(String.init)
            let isOfProperty = parts.count == 3 && !parts[1].contains(" ")
            let text = isOfProperty ? parts[2] : note
            if subjects[text] == nil {
                texts.append(text)
                whole[text] = note
            }
            subjects[text, default: []].append(isOfProperty ? parts[1] : "")
        }
        return texts.map { text in
            let named = subjects[text] ?? []
            guard named.count > 1 else { return whole[text] ?? text }
            var seen: Set<String> = []
            let subjects = named.filter { seen.insert($0).inserted }
            let left = subjects.count - namedMax
            let more = left > 0 ? " and \(left) more" : ""
            return "\(subjects.prefix(namedMax).joined(separator: ", "))\(more): \(text)"
        }
    }
}

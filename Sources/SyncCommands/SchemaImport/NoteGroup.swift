/// Prepares an import's notes about the app's sources for printing, and groups notes with the same text.
struct NoteGroup {
    /// The largest number of subjects that one printed line names, and the largest number of lines that are printed.
    private static let (namedMax, linesMax) = (12, 30)

    /// Returns the lines to print for the notes. Notes with the same text share a line. If there are more than
    /// `linesMax` lines, the last line tells how many are left out.
    static func printed(_ notes: [String]) -> [String] {
        let lines = lines(of: notes)
        let left = lines.count - linesMax
        return lines.prefix(linesMax) + (left > 0 ? ["and \(left) more, which ‘--json’ lists"] : [])
    }

    /// Groups notes with the same text, and returns one line for each group. A line begins with the subjects of its
    /// notes. For example, `Trip.picture` is the subject of the note
    /// `Trip.swift:12: Trip.picture: ‘.externalStorage’ has no effect here`.
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

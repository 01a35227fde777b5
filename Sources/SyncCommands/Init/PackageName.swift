/// The forms of an app's name in its package: `Pantry` in Swift, `pantry` in URLs, tables and programs.
struct PackageName {
    /// The Swift name of the namespace, the targets and the plan: `FamilyPantry`.
    let type: String
    /// The app's name in its plan: `family_pantry`.
    let app: String
    /// The name of the program and the folder: `family-pantry`.
    let program: String

    /// The largest length of a name, in bytes. A PostgreSQL name has at most 63 bytes (manual, section 4.1.1), and the
    /// names of tables begin with the app's name.
    private static let lengthMax = 40

    /// - Parameter text: letters and digits; words are separated by `-` or `_`, or begin with a capital.
    init(_ text: String) throws(UsageError) {
        guard text.utf8.count <= Self.lengthMax, let first = text.utf8.first, Self.isLetter(first),
            text.utf8.allSatisfy({ Self.isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F })
        else {
            throw UsageError(
                "‘\(text)’ is no name for an app: begin with a letter, and take letters, digits and hyphens, at most "
                    + "\(Self.lengthMax) in all, as in Pantry or family-pantry.")
        }
        var words: [String] = []
        for (index, character) in text.enumerated() {
            let isSeparator = character == "-" || character == "_"
            let before = index > 0 ? text[text.index(text.startIndex, offsetBy: index - 1)] : "-"
            let begins =
                !isSeparator && (before == "-" || before == "_" || character.isUppercase && !before.isUppercase)
            if begins { words.append("") }
            if !isSeparator { words[words.count - 1].append(character) }
        }
        type = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        app = words.map { $0.lowercased() }.joined(separator: "_")
        program = words.map { $0.lowercased() }.joined(separator: "-")
        // The server's own tables and PostgreSQL's are in schemas with these names.
        guard !["sync", "public", "pg_catalog", "information_schema", "syncserver"].contains(app), !app.hasPrefix("pg_")
        else { throw UsageError("‘\(text)’ is taken by PostgreSQL or by the server; take another name for the app.") }
        guard !TakenNames.isTaken(type) else {
            throw UsageError(
                "‘\(type)’ is what Swift, or the language of plans, calls something of its own, so that the package "
                    + "could not be built: take another name, such as \(type)App.")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20)
    }
}

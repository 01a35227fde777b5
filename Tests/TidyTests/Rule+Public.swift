extension Rule {
    /// Members that a protocol documents, whoever implements them: of the standard library, and of a plan.
    private static let documentedElsewhere: Set<Substring> = [
        "description", "debugDescription", "hash", "encode", "buildBlock", "buildExpression", "fidelity", "examples",
        "attributeType", "arrayType", "app", "schemas", "stages", "baseline", "historicalVariants", "legacyContent",
        "versionIdentifier", "models", "unownedExecutor",
    ]

    /// The same of initializers, by their first label.
    private static let initializersDocumentedElsewhere: Set<Substring> = [
        "from", "rawValue", "reading", "stringLiteral", "integerLiteral", "floatLiteral", "booleanLiteral",
        "arrayLiteral",
    ]

    static let documentedPublic = Rule(
        "What is public is explained", broken: "Sources/WireFormats/A.swift",
        by: "/// A key.\npublic struct A {\n    @inlinable\n    public func read() {}\n}"
    ) { file in
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        var text = MultilineText()
        return file.lines.indices.compactMap { index in
            let line = file.lines[index]
            // Code that is written into files of others is in texts of several lines.
            let isText = text.takes(line)
            guard !isText, let name = publicName(in: line), !file.lineAbove(index).hasPrefix("///") else { return nil }
            return Fault(line: index + 1, message: "‘\(name)’ is public and has no documentation comment")
        }
    }

    private static let modifiers: Set<Substring> = [
        "public", "private(set)", "static", "final", "indirect", "nonisolated", "mutating", "convenience", "required",
        "override",
    ]
    private static let keywords: Set<Substring> = [
        "let", "var", "func", "struct", "enum", "class", "actor", "protocol", "typealias", "associatedtype",
    ]

    /// The name of the public declaration in a line; `nil` for none, and for one that its protocol documents.
    private static func publicName(in line: Substring) -> Substring? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "public"),
            words[..<place].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") })
        else { return nil }
        let rest = words[place...].drop { modifiers.contains($0) }
        guard let keyword = rest.first, keyword != "import", keyword != "extension" else { return nil }
        if keyword.hasPrefix("init") {
            let label = keyword.drop { $0 != "(" }.dropFirst().prefix { $0.isLetter }
            return initializersDocumentedElsewhere.contains(label) ? nil : "init"
        }
        guard keywords.contains(keyword) else { return keyword }
        let name = (rest.dropFirst().first ?? "").prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "`" }
        // An operator, such as ‘==’, has no name. A value's form as an attribute is part of AttributeValue.
        if name.isEmpty || documentedElsewhere.contains(name) { return nil }
        return line.contains("var value: Value {") ? nil : name
    }
}

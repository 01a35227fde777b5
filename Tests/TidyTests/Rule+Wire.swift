import Testing

/// The words of the protocol, as `Sources/WireFormats/Wire` spells them.
private enum Vocabulary {
    static let folder = "Sources/WireFormats/Wire/"

    private static func words(_ file: String, _ pattern: Regex<(Substring, Substring)>) -> Set<String> {
        Set((SourceTree.text(of: folder + file) ?? "").matches(of: pattern).map { String($0.1) })
    }

    static let headers = words("HeaderName.swift", /static let \w+ = "([A-Z][\w-]+)"/)
    /// Without ‘title’, which JSON Schema has, too.
    static let members = words("BodyMember.swift", /JSONKey = "(\w+)"/).subtracting(["title"])
    static let paths = words("Endpoint.swift", /case \w+ = "(\/[^"]+)"/)
    /// Codes with a hyphen, which mean nothing else.
    static let codes = ["ProblemCode", "RejectionCode", "VerdictName"].reduce(into: Set<String>()) { codes, file in
        codes.formUnion(words("\(file).swift", /= "([a-z]+(?:-[a-z]+)+)"/))
    }
    static let verdicts: Set<String> = ["applied", "merged", "superseded", "unchanged", "rejected", "held"]
}

extension Rule {
    /// The targets that speak the protocol. Others have tables, files and outputs of their own, whose words are
    /// sometimes the same.
    private static let speakers = [
        "SyncServer", "SyncEngine", "SyncClient", "SyncSimulator", "SyncTestSupport", "SyncTesting",
    ]

    /// Files of those targets that write something else than the protocol: what the database keeps, and what a command
    /// prints. SyncTestSupport and SyncTesting read bodies as plain JSON, and a driver's answers have members of their
    /// own: they judge the wire, as tests do, which may have its words raw.
    private static let otherFormats = [
        "Sources/SyncEngine/Push/Judgements.swift", "Sources/SyncEngine/Quarantine/HeldReading.swift",
        "Sources/SyncSimulator/Site/Site+Operator.swift", "Sources/SyncSimulator/Run/SimulationReport.swift",
        "Sources/SyncTestSupport/", "Sources/SyncTesting/",
        // It describes bodies in words of OpenAPI and JSON Schema.
        "Sources/SyncServer/API/OpenAPI/", "Sources/SyncServer/API/ValueSchema.swift",
    ]

    static let oneVocabulary = Rule(
        "The protocol's words are spelled in Sources/WireFormats/Wire alone", broken: "Sources/SyncClient/A.swift",
        by: "let age = headers[\"Outbox-Age\"]"
    ) { file in
        // What HTTPServer answers by itself has codes that it cannot import; TransportProblemTests compares them.
        guard file.isSwift, file.path.hasPrefix("Sources/"), !file.path.hasPrefix(Vocabulary.folder),
            !file.path.hasPrefix("Sources/HTTPServer/")
        else { return [] }
        let speaks = speakers.contains { file.path.hasPrefix("Sources/\($0)/") }
        let writesBodies = speaks && !otherFormats.contains { file.path.hasPrefix($0) }
        return file.faults { line in
            for match in line.matches(of: /"([^"\\]+)"/) {
                let word = String(match.1)
                let isSpelled =
                    Vocabulary.headers.contains(word) && (speaks || word.contains("-"))
                    || speaks && (Vocabulary.codes.contains(word) || Vocabulary.paths.contains(word))
                    || writesBodies && Vocabulary.verdicts.contains(word)
                if isSpelled { return "‘\(word)’ is of the protocol: use the constant of \(Vocabulary.folder)" }
            }
            // The beginning of a header line, of a path or of a query.
            for match in line.matches(of: /"([A-Z]\w*-[\w-]+):\s/)
            where speaks && Vocabulary.headers.contains("\(match.1)") {
                return "‘\(match.1)’ is of the protocol: use the constant of \(Vocabulary.folder)"
            }
            if speaks, line.contains("\"/v1/") || line.contains("\"v1/") {
                return "a path of the protocol: use Endpoint"
            }
            // A member that is read or written.
            for match in line.matches(of: /(?:\[|(?:member|key|object)\()"(\w+)"[\],)]/)
            where writesBodies && Vocabulary.members.contains("\(match.1)") && !line.contains("facts[") {
                return "‘\(match.1)’ is a member of a body: use BodyMember"
            }
            return nil
        }
    }
}

/// Tests that the rule for the protocol's words finds each kind of word.
@Suite struct VocabularyRuleTests {
    @Test func theWordsAreRead() {
        #expect(Vocabulary.headers.isSuperset(of: ["Schema-Version", "Sync-Head", "Retry-After"]))
        #expect(Vocabulary.codes.isSuperset(of: ["cursor-expired", "unknown-entity", "lens-failed", "mass-deletion"]))
        #expect(Vocabulary.paths.contains("/v1/apps/{app}/spaces/{space}/sync"))
        #expect(Vocabulary.members.isSuperset(of: ["serverTime", "kept", "op"]))
        let names = SourceTree.text(of: Vocabulary.folder + "VerdictName.swift") ?? ""
        #expect(Vocabulary.verdicts.allSatisfy { names.contains("    case \($0)\n") })
    }

    @Test(arguments: [
        "case 410 where code == \"cursor-expired\"", "let name = [\"Device-Id\"]", "[\"Device-Id: \\(id)\"]",
        "if verdict == \"superseded\" {", "Route(.get, \"/v1/apps\")", "let path = \"/v1/apps/\\(app)\"",
        "writer.member(\"serverTime\", now)", "let more = root[\"more\"]?.bool", "writer.key(\"fields\")",
    ])
    func aRawWordIsFound(_ line: String) {
        let file = { SourceFile(path: $0, text: line) }
        #expect(Rule.oneVocabulary.faults(file("Sources/SyncSimulator/A.swift")).count == 1)
        #expect(Rule.oneVocabulary.faults(file("Sources/WireFormats/Wire/A.swift")).isEmpty)
        #expect(Rule.oneVocabulary.faults(file("Tests/SyncServerTests/A.swift")).isEmpty)
    }
}

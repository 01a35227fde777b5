import Foundation
import StrictJSON
import Testing
import WireFormats

/// The words of the protocol beside docs/protocol.md, and beside the parts of the OpenAPI document that people write.
@Suite struct VocabularyTests {
    private static func text(_ path: String) throws -> String {
        var folder = URL(filePath: #filePath)
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            folder = folder.deletingLastPathComponent()
            try #require(folder.path != "/")
        }
        return try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    /// The rows of the table whose head begins so, by cells.
    private func table(_ head: String) throws -> [[String]] {
        let lines = try VocabularyTests.text("docs/protocol.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix(head) }, "\(head)")
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        try #require(!rows.isEmpty)
        return rows.map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    /// Returns the texts in backticks.
    private func names(in cell: String) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    private func names(_ head: String) throws -> [String] { try table(head).flatMap { names(in: $0[0]) } }

    private func object(_ file: String) throws -> JSONNode {
        try JSONDocument(parsing: VocabularyTests.text("Sources/SyncServer/API/OpenAPI/\(file)")).root
    }

    // MARK: docs/protocol.md

    @Test func theDocumentListsEveryProblemWithItsStatus() throws {
        let listed = try table("| status | code |").flatMap { row in names(in: row[1]).map { "\(row[0]) \($0)" } }
        #expect(listed.sorted() == ProblemCode.allCases.map { "\($0.status) \($0.rawValue)" }.sorted())
    }

    @Test func theDocumentListsEveryVerdictItsCodesAndEveryStateOfAVersion() throws {
        #expect(try names("| verdict |") == VerdictName.allCases.map(\.rawValue))
        #expect(try names("| code of a `held` change |") == HoldCode.ofVerdicts.map(\.rawValue))
        #expect(try names("| `status` |") == VersionStatus.allCases.map(\.rawValue))
        #expect(try names("| code of a rejection |").sorted() == RejectionCode.allCases.map(\.rawValue).sorted())
    }

    @Test func theDocumentListsEveryHeader() throws {
        // Their values are shown with some: `Change-Mode: whole`.
        let requests = try names("| request header |").compactMap { $0.split(separator: ":").first.map(String.init) }
        let stated = requests.filter { name in
            name.first?.isUppercase == true && !name.contains(" ")
        }
        let plain = ["Content-Type", "Content-Encoding", "Accept-Encoding"]
        #expect(stated.filter { !plain.contains($0) } == HeaderName.ofRequests)
        let answers = try table("| response header of a space's changes").flatMap { names(in: $0[0]) }
        #expect(answers.sorted() == HeaderName.ofAnswers.sorted())
        let text = try VocabularyTests.text("docs/protocol.md")
        for name in [
            HeaderName.retryAfter, HeaderName.rateLimit, HeaderName.rateLimitPolicy, HeaderName.deprecation,
            HeaderName.sunset, HeaderName.link, HeaderName.allow,
        ] {
            #expect(text.contains("`\(name)`"), "\(name)")
        }
        for mode in ChangeModeName.allCases { #expect(text.contains("`\(mode)`") || text.contains("Mode: \(mode)`")) }
    }

    @Test func theDocumentListsEveryEndpoint() throws {
        let cells = try names("| endpoint | purpose |") + names("| endpoint, below `/v1/apps/{app}` |")
        let paths = cells.compactMap { cell -> String? in
            // Without the method and the query.
            guard let path = cell.split(separator: " ").last?.split(separator: "?").first, path.hasPrefix("/") else {
                return nil
            }
            return path.hasPrefix("/spaces") || path.hasPrefix("/invitations") ? "/v1/apps/{app}\(path)" : "\(path)"
        }
        #expect(cells.contains("DELETE …/{invitation}"))
        #expect(
            Set(paths).union([Endpoint.invitation.rawValue]) == Set(Endpoint.allCases.map(\.rawValue)))
    }

    @Test func theDocumentHasEveryMember() throws {
        let text = try VocabularyTests.text("docs/protocol.md")
        let words = Set(text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        let unknown = try members().subtracting(words)
        // Of an invitation: the OpenAPI document has them.
        #expect(unknown.isSubset(of: ["madeBy"]), "\(unknown)")
    }

    /// The members that `BodyMember` has, as its file lists them.
    private func members() throws -> Set<String> {
        let file = try VocabularyTests.text("Sources/WireFormats/Wire/BodyMember.swift")
        let members = file.matches(of: /JSONKey = "(\w+)"/).map { String($0.1) }
        #expect(Set(members).count == members.count && members.count > 50)
        return Set(members)
    }

    // MARK: The OpenAPI document

    @Test func theSchemasHaveNoMemberOfTheirOwn() throws {
        let foreign = VocabularyTests.properties(of: try object("schemas.json")).subtracting(try members())
        // RFC 9457, and JSON Schema.
        #expect(foreign == ["type", "$schema"])
    }

    private static func properties(of node: JSONNode) -> Set<String> {
        var found: Set<String> = []
        for member in node.members.map(Array.init) ?? [] {
            if member.hasKey("properties") { found.formUnion(member.value.members?.map(\.key) ?? []) }
            found.formUnion(properties(of: member.value))
        }
        for element in node.elements.map(Array.init) ?? [] { found.formUnion(properties(of: element)) }
        return found
    }

    @Test func theSchemasHaveTheVerdictsAndTheOperations() throws {
        let schemas = try object("schemas.json")
        let verdicts = schemas["Result"]?["properties"]?["verdict"]?["enum"]?.strings
        #expect(verdicts == VerdictName.allCases.map(\.rawValue))
        let versions = schemas["App"]?["properties"]?["versions"]?["items"]
        let states = versions?["properties"]?["status"]?["enum"]?.strings
        #expect(states == VersionStatus.allCases.map(\.rawValue))
        let operations = schemas["Record"]?["properties"]?["op"]?["enum"]?.strings
        #expect(operations == [ChangeOperation.update, .delete].map(\.rawValue))
    }

    @Test func theParametersAreThoseOfPathsQueriesAndHeaders() throws {
        let parameters = try object("parameters.json")
        let listed = Set(parameters.members?.map(\.key) ?? [])
        // The server writes these itself, with the names of apps and versions.
        let written: Set = [HeaderName.schemaVersion, PathParameter.app.rawValue, PathParameter.version.rawValue]
        // ‘security’ says that there is a token.
        let headers = HeaderName.ofRequests.filter { $0 != HeaderName.authorization }
        let queries = [QueryParameter.cursor, QueryParameter.limit, QueryParameter.stamps]
        #expect(listed.union(written) == Set(headers + queries + PathParameter.allCases.map(\.rawValue)))
        #expect(listed.isDisjoint(with: written))
        let modes = parameters[HeaderName.changeMode]?["schema"]?["enum"]?.strings
        #expect(modes == ChangeModeName.allCases.map(\.rawValue))
        #expect(parameters[HeaderName.repetitions]?["schema"]?["enum"]?.strings == [HeaderName.noRepetitions])
        for name in queries { #expect(parameters[name]?["in"]?.string == "query", "\(name)") }
        for name in headers where name != HeaderName.schemaVersion {
            #expect(parameters[name]?["in"]?.string == "header", "\(name)")
        }
    }

    // MARK: Paths

    @Test func everyParameterOfAPathIsKnown() {
        for endpoint in Endpoint.allCases {
            for match in endpoint.rawValue.matches(of: /\{(\w+)\}/) {
                #expect(PathParameter(rawValue: String(match.1)) != nil, "\(endpoint)")
            }
        }
        let space = Endpoint.space.path(app: "fitiq", space: "me")
        #expect(space == "/v1/apps/fitiq/spaces/me")
        for (endpoint, action) in [
            (Endpoint.changes, SpaceAction.changes), (.sync, SpaceAction.sync), (.events, SpaceAction.events),
        ] {
            #expect(endpoint.path(app: "fitiq", space: "me") == "\(space)/\(action)")
        }
    }
}

import SyncTestSupport
import Testing
import WireFormats

/// `syncserver identity check`, and what `serve --identity` says of a bad file.
@Suite struct IdentityCommandTests {
    private static let key = SigningKey("ES256", id: "key-1")

    private func check(_ file: JSONValue, token: String? = nil, _ words: [String] = []) async throws -> CommandRun {
        let folder = try TemporaryDirectory()
        try folder.write(file.bytes, to: "identity.json")
        var words = ["identity", "check", "\(folder.path)/identity.json"] + words
        if let token {
            try folder.write(Array("\(token)\n".utf8), to: "token.txt")
            words += ["--token", "\(folder.path)/token.txt"]
        }
        return try await CommandRun(words)
    }

    @Test func itSaysWhatATokenWouldAllow() async throws {
        let issuer = try TestIssuer([IdentityCommandTests.key])
        let token = IdentityCommandTests.key.token(issuer.claims("anna"))
        let run = try await check(issuer.fileContents(), token: token)
        #expect(run.status == 0 && run.output.contains("key key-1: ES256"), "\(run)")
        #expect(run.output.contains("The token is ‘test:anna’, which may write in every app until 20"), "\(run.output)")
        #expect(run.output.contains("may be at private addresses"), "\(run.output)")
        let json = try await check(issuer.fileContents(["app": "fitiq"]), token: token, ["--json"])
        let received = try JSONValue(parsing: Array(json.output.utf8))
        #expect(received["token"]["subject"] == "test:anna" && received["token"]["app"] == "fitiq")
        #expect(received["issuers"].elements[0]["allowPrivateAddresses"] == true)
        #expect(received["issuers"].elements[0]["keys"].elements[0]["id"] == "key-1")
        // The token is nowhere in what it prints.
        #expect(!run.output.contains(token) && !json.output.contains(token))
        await issuer.stop()
    }

    /// Joins the lines, since the file's path decides where they break.
    private func sentence(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test func itSaysWhyOneWouldNot() async throws {
        let issuer = try TestIssuer([IdentityCommandTests.key])
        let late = IdentityCommandTests.key.token(issuer.claims("anna", lasting: -100))
        let refused = try await check(issuer.fileContents(), token: late)
        #expect(refused.status == 1 && refused.output.contains("lets nobody in. It has expired."), "\(refused)")
        let none = try await check(issuer.fileContents(), token: "no token", ["--json"])
        #expect(none.status == 1 && none.output.contains(#""refused":"It is no signed"#), "\(none)")
        await issuer.stop()
        // An address of documentation (RFC 5737): nothing is sent there.
        let elsewhere = try await check(
            issuer.fileContents(["allowPrivateAddresses": false, "keys": "https://192.0.2.1/keys"]))
        #expect(elsewhere.status == 1 && sentence(elsewhere.output).contains("‘allowPrivateAddresses’: true"))
        let down = try await check(issuer.fileContents())
        #expect(down.status == 1 && down.output.contains("no keys: http://127.0.0.1:"), "\(down)")
    }

    @Test func aBadFileStopsTheServerBeforeItStarts() async throws {
        let issuer = try TestIssuer([])
        for (others, reason) in [
            (["audiences": []], "every app of the provider"), (["app": "nothing"], "There is no app ‘nothing’"),
            (["secret": "x"], "‘secret’"), (["subjectPrefix": ""], "must not be empty"),
            (["allowPrivateAddresses": false], "‘allowPrivateAddresses’: true"),
        ] as [([String: JSONValue], String)] {
            let folder = try TemporaryDirectory()
            try folder.write(issuer.fileContents(others).bytes, to: "identity.json")
            let run = try await CommandRun(["serve", "--identity", "\(folder.path)/identity.json", "--port", "0"])
            #expect(run.status == 2 && sentence(run.errors).contains(reason), "\(run)")
        }
        await issuer.stop()
    }

    @Test func noEntryMayNameTheSubjectsOfAnother() async throws {
        let issuer = try TestIssuer([IdentityCommandTests.key])
        guard case .array(let entries) = issuer.fileContents()["issuers"] else { return }
        guard case .array(let others) = issuer.fileContents(["subjectPrefix": "test:admin-"])["issuers"] else { return }
        let run = try await check(["issuers": .array(entries + others)])
        #expect(run.status == 2 && sentence(run.errors).contains("could have the same names"), "\(run)")
        let empty = try await check(issuer.fileContents(["subjectPrefix": ""]))
        #expect(empty.status == 2 && sentence(empty.errors).contains("must not be empty"), "\(empty)")
        await issuer.stop()
    }
}

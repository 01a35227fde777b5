import SyncTestSupport
import Testing
import WireFormats

@testable import OpenID

/// The file of `serve --identity`.
@Suite struct IdentityFileTests {
    private static let entry: [String: JSONValue] = [
        "issuer": "https://login.example", "audiences": ["example.pantry"], "subjectPrefix": "login:",
    ]

    private func issuers(_ entries: [[String: JSONValue]]) throws(IdentityFile.Fault) -> [Issuer] {
        try IdentityFile(JSONValue.object(["issuers": .array(entries.map { .object($0) })]).bytes).issuers
    }

    private func fault(_ changes: [String: JSONValue?], _ more: [[String: JSONValue]] = []) -> String? {
        var entry = IdentityFileTests.entry
        for (name, value) in changes { entry[name] = value }
        do {
            _ = try issuers([entry] + more)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func whatItLeavesOutIsAsSafeAsCanBe() throws {
        let issuer = try issuers([IdentityFileTests.entry])[0]
        #expect(issuer.algorithms == Set(SigningAlgorithm.allCases) && issuer.leeway == .seconds(60))
        #expect(issuer.app == nil && issuer.keysAddress == nil && issuer.role == nil && issuer.spacesClaim == nil)
    }

    @Test(
        arguments: [
            (["audiences": nil], "every app of the provider"), (["audiences": []], "every app of the provider"),
            (["audiences": "example.pantry"], "array of texts"), (["audiences": [1]], "array of texts"),
            (["issuer": nil], "missing"), (["issuer": "http://login.example"], "https"),
            (["subjectPrefix": nil], "missing"), (["subjectPrefix": .string(String(repeating: "p", count: 65))], "64"),
            (["algorithms": ["HS256"]], "RS256, PS256, ES256, EdDSA"), (["algorithms": ["none"]], "RS256"),
            (["leewaySeconds": -1], "300"), (["leewaySeconds": 301], "300"), (["leewaySeconds": "60"], "300"),
            (["keys": "http://login.example/keys"], "https"), (["secret": "x"], "‘secret’"),
            (["claims": ["roles": "x"]], "‘roles’"), (["claims": ["role": ["claim": "x"]]], "which words"),
            (["claims": ["role": ["write": ["x"]]]], "missing"), (["claims": []], "object"),
        ] as [([String: JSONValue?], String)])
    func whatIsWrongIsNamed(changes: [String: JSONValue?], reason: String) {
        let fault = self.fault(changes) ?? ""
        #expect(fault.contains(reason), "\(fault)")
    }

    @Test func itIsAListOfIssuers() {
        for text in [
            "", "{}", "[]", #"{"issuers": {}}"#, #"{"issuers": []}"#, #"{"issuers": [1]}"#, #"{"issuer": []}"#,
        ] {
            #expect(throws: IdentityFile.Fault.self) { try IdentityFile(Array(text.utf8)) }
        }
    }

    /// One issuer's ‘ab’ is never another's ‘a’ and ‘b’.
    @Test func noIssuerCanNameAnothersSubjects() {
        func other(_ prefix: String, _ name: String = "https://else.example") -> [[String: JSONValue]] {
            [IdentityFileTests.entry.merging(["issuer": .string(name), "subjectPrefix": .string(prefix)]) { $1 }]
        }
        for prefix in ["login:", "", "login:a", "log"] {
            #expect(fault([:], other(prefix))?.contains("could have the same names") == true, "\(prefix)")
        }
        #expect(fault([:], other("else:")) == nil)
        // The same issuer for another app.
        #expect(fault([:], other("login:", "https://login.example")) == nil)
    }
}

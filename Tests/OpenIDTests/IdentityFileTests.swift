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
        #expect(!issuer.allowsPrivateAddresses)
    }

    @Test(
        arguments: [
            (["audiences": nil], "every app of the provider"), (["audiences": []], "every app of the provider"),
            (["audiences": "example.pantry"], "array of texts"), (["audiences": [1]], "array of texts"),
            (["authorizedParties": "app"], "array of texts"), (["authorizedParties": [""]], "array of texts"),
            (["issuer": nil], "missing"), (["issuer": "http://login.example"], "https"),
            (["subjectPrefix": nil], "missing"), (["subjectPrefix": .string(String(repeating: "p", count: 65))], "64"),
            (["algorithms": ["HS256"]], "RS256, PS256, ES256, EdDSA"), (["algorithms": ["none"]], "RS256"),
            (["algorithms": []], "RS256"), (["claims": ["subject": ""]], "no claim"),
            (["claims": ["subject": "/~2"]], "no claim"), (["claims": ["spaces": "/spaces~"]], "no claim"),
            (["claims": ["role": ["claim": "", "write": ["x"]]]], "no claim"),
            (["keys": "https://login.example/\u{0}keys"], "must be a text"),
            (["leewaySeconds": -1], "300"), (["leewaySeconds": 301], "300"), (["leewaySeconds": "60"], "300"),
            (["issuer": "http://127.0.0.1:8080"], "‘allowPrivateAddresses’: true"),
            (["issuer": "https://localhost"], "‘issuers[0].issuer’ is on this machine"),
            (["keys": "https://[::1]/keys"], "‘issuers[0].keys’ is on this machine"),
            (["allowPrivateAddresses": "yes"], "true or false"), (["allowPrivateAddresses": .null], "true or false"),
            (["keys": "http://login.example/keys"], "https"), (["secret": "x"], "‘secret’"),
            (["claims": ["roles": "x"]], "‘roles’"), (["claims": ["role": ["claim": "x"]]], "which words"),
            (["claims": ["role": ["write": ["x"]]]], "missing"), (["claims": []], "object"),
        ] as [([String: JSONValue?], String)])
    func whatIsWrongIsNamed(changes: [String: JSONValue?], reason: String) {
        let fault = self.fault(changes) ?? ""
        #expect(fault.contains(reason), "\(fault)")
    }

    @Test func anIssuerOnThisMachineIsSaidToBe() throws {
        for changes: [String: JSONValue?] in [
            ["issuer": "http://127.0.0.1:8080"], ["keys": "http://localhost/keys"], ["issuer": "https://[::1]"],
        ] {
            var meant = changes
            meant["allowPrivateAddresses"] = true
            #expect(fault(changes) != nil && fault(meant) == nil, "\(changes)")
        }
        // For the name alone nothing is required.
        #expect(fault(["issuer": "http://localhost", "keys": "https://login.example/keys"]) == nil)
    }

    @Test func itIsAListOfIssuers() {
        for text in [
            "", "{}", "[]", #"{"issuers": {}}"#, #"{"issuers": []}"#, #"{"issuers": [1]}"#, #"{"issuer": []}"#,
        ] {
            #expect(throws: IdentityFile.Fault.self) { try IdentityFile(Array(text.utf8)) }
        }
    }

    /// A subject ‘ab’ of one issuer is never equal to the parts ‘a’ and ‘b’ of another.
    @Test func noIssuerCanNameAnothersSubjects() {
        func other(_ prefix: String, _ name: String = "https://else.example") -> [[String: JSONValue]] {
            [IdentityFileTests.entry.merging(["issuer": .string(name), "subjectPrefix": .string(prefix)]) { $1 }]
        }
        for prefix in ["login:", "login:a", "log"] {
            for name in ["https://else.example", "https://login.example/"] {
                #expect(fault([:], other(prefix, name))?.contains("could have the same names") == true, "\(prefix)")
            }
        }
        #expect(fault([:], other("else:")) == nil)
    }

    /// Also within one issuer: ‘admin-root’ of one entry is not ‘root’ of the other.
    @Test func entriesOfOneIssuerNameTheSamePeopleOrOthers() {
        func other(_ changes: [String: JSONValue]) -> [[String: JSONValue]] {
            [IdentityFileTests.entry.merging(changes) { $1 }]
        }
        for prefix in ["login:a", "log"] {
            let fault = fault([:], other(["subjectPrefix": .string(prefix)])) ?? ""
            #expect(fault.contains("could have the same names"), "\(prefix): \(fault)")
        }
        // The same people in another app.
        #expect(fault([:], other(["audiences": ["example.cellar"]])) == nil)
        #expect(fault([:], other(["claims": ["subject": "/sub"]])) == nil)
        // A person who can choose an e-mail address could choose another person's subject.
        let chosen = fault([:], other(["claims": ["subject": "email"]])) ?? ""
        #expect(chosen.contains("could have the same names") && chosen.contains("claims.subject"), "\(chosen)")
        #expect(fault([:], other(["subjectPrefix": "mail:", "claims": ["subject": "email"]])) == nil)
    }

    /// With an empty prefix a provider's ‘anna’ would be the ‘anna’ of an own token.
    @Test func noPrefixIsEmpty() {
        let fault = fault(["subjectPrefix": ""]) ?? ""
        #expect(fault.contains("must not be empty") && fault.contains("docs/identity.md"), "\(fault)")
    }

    /// Texts that Unicode counts as equal: composed and decomposed, and the Kelvin sign.
    @Test func textsAreOneOnlyByTheirBytes() throws {
        let names = ["https://login.example/é", "https://login.example/e\u{301}"]
        let entries = names.map { name in
            IdentityFileTests.entry.merging(["issuer": .string(name)]) { $1 }
        }
        // Two issuers must not share a prefix.
        #expect(throws: IdentityFile.Fault.self) { try issuers(entries) }
        let prefixes = ["é:", "e\u{301}:"].map { prefix in
            IdentityFileTests.entry.merging(["subjectPrefix": .string(prefix)]) { $1 }
        }
        #expect(try issuers(prefixes).map(\.subjectPrefix.text.utf8.count) == [3, 4])
        let file = try IdentityFile(
            JSONValue.object(["issuers": .array(prefixes.prefix(1).map { .object($0) })]).bytes)
        #expect(file.issuer(naming: "é:anna") == 0 && file.issuer(naming: "e\u{301}:anna") == nil)
        #expect(file.issuer(naming: "anna") == nil && file.issuer(naming: "é") == nil)
        #expect(ExactText("K") != ExactText("\u{212A}") && Set(["K", "\u{212A}"] as [ExactText]).count == 2)
        #expect(!ExactText("e\u{301}x").begins(with: "é") && ExactText("éx").begins(with: "é"))
    }
}

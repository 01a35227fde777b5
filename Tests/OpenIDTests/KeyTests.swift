import SyncTestSupport
import Testing
import WireFormats

@testable import OpenID

/// The keys that issuers publish, and the signatures of their holders.
@Suite struct KeyTests {
    private func keys(_ keys: JSONValue...) throws -> [PublicKey] {
        try KeySet(JSONValue.object(["keys": .array(keys)]).bytes).keys
    }

    /// RFC 7515, appendix A.3, and RFC 8037, appendix A.4: tokens that neither of our libraries made.
    @Test func theSignaturesOfTheStandardsAreRight() throws {
        let curve = try keys([
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ])
        let token =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
            + "Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        #expect(curve[0].verifies(token, by: .es256))
        let edwards = try keys([
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ])
        let signed =
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhij"
            + "cNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        #expect(edwards[0].verifies(signed, by: .edDSA))
        // Not by the other's key, nor with another letter anywhere.
        #expect(!edwards[0].verifies(token, by: .es256) && !curve[0].verifies(signed, by: .edDSA))
        for place in [25, 100, 200] {
            var letters = Array(token)
            letters[place] = letters[place] == "A" ? "B" : "A"
            #expect(!curve[0].verifies(String(letters), by: .es256), "\(place)")
        }
    }

    @Test(arguments: SigningAlgorithm.allCases)
    func whatOneLibrarySignsTheOtherChecks(algorithm: SigningAlgorithm) throws {
        let (one, other) = (SigningKey(algorithm.rawValue), SigningKey(algorithm.rawValue))
        let key = try keys(one.publicKey)[0]
        // Numbers of every length: some begin with a zero, which DER leaves out and JWS does not.
        for number in 0..<(algorithm == .es256 ? 300 : 3) {
            #expect(key.verifies(one.token(["n": .int(Int64(number))]), by: algorithm))
        }
        let token = one.token(["sub": "anna"])
        #expect(!key.verifies(other.token(["sub": "anna"]), by: algorithm))
        for another in SigningAlgorithm.allCases where another != algorithm {
            #expect(!key.verifies(token, by: another))
        }
    }

    @Test func keysThatCannotBeUsedAreLeftOut() throws {
        let good = SigningKey("RS256", id: "good")
        func changed(_ members: [String: JSONValue?]) -> JSONValue {
            guard case .object(var key) = good.publicKey else { return .null }
            for (name, value) in members { key[name] = value }
            return .object(key)
        }
        let bad: [JSONValue] = [
            .null, [], "key", [:],
            // A secret is nothing to publish, and a token signed with it nothing to believe.
            ["kty": "oct", "k": "c2VjcmV0", "kid": "secret"],
            changed(["use": "enc"]), changed(["use": 1]), changed(["key_ops": ["sign"]]), changed(["alg": "RS384"]),
            changed(["alg": "ES256"]), changed(["n": nil]), changed(["e": "AA"]), changed(["e": "BA"]),
            changed(["e": "AQAAAAAAAQ"]), changed(["n": "AQAB"]), changed(["n": "no base64"]), changed(["kid": 7]),
            changed(["kid": .string(String(repeating: "k", count: 257))]),
            SigningKey("RS256", bits: 1_024).publicKey,
            ["kty": "EC", "crv": "P-384", "x": "AQ", "y": "AQ"], ["kty": "EC", "crv": "P-256", "x": "AQ", "y": "AQ"],
            ["kty": "OKP", "crv": "X25519", "x": .string(String(repeating: "A", count: 43))],
        ]
        let set = try KeySet(JSONValue.object(["keys": .array(bad + [good.publicKey])]).bytes)
        #expect(set.keys.map(\.id) == ["good"])
        #expect(throws: KeysUnavailable.self) { try KeySet(JSONValue.object(["keys": .array(bad)]).bytes) }
        for text in ["", "{}", "[]", #"{"keys": {}}"#, #"{"keys": [], "keys": []}"#, "<html>"] {
            #expect(throws: KeysUnavailable.self) { try KeySet(Array(text.utf8)) }
        }
    }

    /// A key in which an address or a certificate stands is used for its numbers alone.
    @Test func nothingInAKeyIsFollowed() async throws {
        let listener = SilentListener()
        let signer = SigningKey("RS256")
        guard case .object(var members) = signer.publicKey else { return }
        members["x5u"] = .string("http://127.0.0.1:\(listener.port)/certificate")
        members["x5c"] = ["bm8gY2VydGlmaWNhdGU="]
        let key = try keys(.object(members))[0]
        #expect(key.verifies(signer.token(["sub": "anna"]), by: .rs256))
        #expect(!listener.isConnected())
    }

    /// The Kelvin sign is no ‘K’, and what is composed is not what is not.
    @Test func aNameIsOneOnlyByItsBytes() throws {
        for names in [["K", "\u{212A}"], ["é", "e\u{301}"]] {
            let signers = names.map { SigningKey("ES256", id: $0) }
            let set = try KeySet(JSONValue.object(["keys": .array(signers.map(\.publicKey))]).bytes)
            for (name, signer) in zip(names, signers) {
                let key = try #require(set.key(id: ExactText(name), for: .es256))
                #expect(key.verifies(signer.token(["sub": "anna"]), by: .es256))
            }
        }
    }

    @Test func aKeyIsFoundByItsNameAndItsAlgorithm() throws {
        let (rsa, curve) = (SigningKey("RS256", id: "a"), SigningKey("ES256", id: "b"))
        let set = try KeySet(JSONValue.object(["keys": [rsa.publicKey, curve.publicKey]]).bytes)
        #expect(set.key(id: "a", for: .rs256) != nil && set.key(id: "b", for: .es256) != nil)
        #expect(set.key(id: "a", for: .es256) == nil && set.key(id: "c", for: .rs256) == nil)
        // A token that names none is for the only one there is.
        #expect(set.key(id: nil, for: .ps256)?.id == "a" && set.key(id: nil, for: .edDSA) == nil)
        let two = try KeySet(JSONValue.object(["keys": [rsa.publicKey, SigningKey("RS256").publicKey]]).bytes)
        #expect(two.key(id: nil, for: .rs256) == nil)
    }
}

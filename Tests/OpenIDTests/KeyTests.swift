import SyncTestSupport
import Testing
import WireFormats

@testable import OpenID

/// The keys that issuers publish, and the signatures of their holders.
@Suite struct KeyTests {
    private func keys(_ keys: JSONValue...) throws -> [PublicKey] {
        try KeySet(JSONValue.object(["keys": .array(keys)]).bytes).keys
    }

    /// The tokens of RFC 7515, appendix A.3, and RFC 8037, appendix A.4, which no library of the project made.
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
        // Invalid with the other key, and with any letter changed.
        #expect(!edwards[0].verifies(token, by: .es256) && !curve[0].verifies(signed, by: .edDSA))
        for index in [25, 100, 200] {
            var letters = Array(token)
            letters[index] = letters[index] == "A" ? "B" : "A"
            #expect(!curve[0].verifies(String(letters), by: .es256), "\(index)")
        }
    }

    /// The token of RFC 7515, appendix A.2, and a token signed by the method of RFC 8017, section 8.1.1, with Python's
    /// integers.
    @Test func theSignaturesOfRSAAreRight() throws {
        let rsa = try keys([
            "kty": "RSA", "e": "AQAB",
            "n": .string(
                "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4Ql"
                    + "L-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUs"
                    + "LA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoud"
                    + "F8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"),
        ])[0]
        let token =
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
            + "Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9P"
            + "Jbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5ju"
            + "jGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWz"
            + "O75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRm"
            + "B_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1"
            + "phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5A"
            + "XLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        #expect(rsa.verifies(token, by: .rs256) && !rsa.verifies(token, by: .ps256))
        let other = try keys([
            "kty": "RSA", "e": "AQAB",
            "n": .string(
                "jXQeF1PUff94uG2N5AjAk3viMWxQuR_ByFu2aKg-B6qcREuB8A4NzOfBjaM8JGP9rVRB8EC7Sg4ofuhaGf1g4PhhR8Hmy0Lq"
                    + "L-AbznLUgsbgR0VTYi70HRGQaMkM1Nycs4KikPyGTUm69LXB3plKSUlBslCt-sbXLyXYyTfsSAJ6F2_dKd9vh-2uRnprr9hf"
                    + "WWkYWeXdsO6UTUuhN0XEHZapIIEQWAClvz7Zye1x0jqx-58BhdZzPb7_bW0tYCEYj6B04J0vJXe-BMNNMO7ieCjwwWleNayl"
                    + "FwPH3DzQebmM4DzF2olEURQPaxraO0MpF-lxI3xgQK9OI1eIISrmZw"),
        ])[0]
        let signed =
            "eyJhbGciOiJQUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.fAcBgcTkNvnTUJ7kOdRQMU6a6bfgmX7PsZ0xpDx-xAz0WFnA-tC-qzZxLnFi3zGy"
            + "dNBmeN7ZBnAG_k6E9wnazpjR6sLz0bdQamcSGlnFdl1gNdH3EymOFo29Z3Jp"
            + "XKnWSCz4-jS6uR2K0JuwjI7UKlpaA1dkEcnkUtLaOOlbK"
            + "uWp1-GHcj96tTEdxi13zSxmC9R8kf-j1wQxfscGRV44d13necvVpZlyWK6SD"
            + "CnLHXir-yQQM44nWXWkr_o_Kh-LghNS-T4XHLC0Ph2noG"
            + "_mbTpcL4EYufY1EqWo4Ur49abOQBQbITLeh_yvZbqPzhtYWfwDSsgFBDSQ1yKccCTeTw"
        #expect(other.verifies(signed, by: .ps256) && !other.verifies(signed, by: .rs256))
        #expect(!rsa.verifies(signed, by: .ps256) && !other.verifies(token, by: .rs256))
    }

    @Test(arguments: SigningAlgorithm.allCases)
    func whatIsSignedIsChecked(algorithm: SigningAlgorithm) throws {
        let (one, other) = (SigningKey(algorithm.rawValue), SigningKey(algorithm.rawValue))
        let key = try keys(one.publicKey)[0]
        // Numbers of every length: some begin with a zero, which DER omits and JWS keeps.
        for number in 0..<(algorithm == .es256 ? 300 : 3) {
            #expect(key.verifies(one.token(["n": .int(Int64(number))]), by: algorithm))
        }
        let token = one.token(["sub": "anna"])
        #expect(!key.verifies(other.token(["sub": "anna"]), by: algorithm))
        for another in SigningAlgorithm.allCases where another != algorithm {
            #expect(!key.verifies(token, by: another))
        }
    }

    /// A signature is two numbers of 32 bytes (RFC 7518, section 3.4), as many bytes as the key has, or 64 bytes.
    /// Nothing else is accepted, and not the DER of other standards.
    @Test(arguments: SigningAlgorithm.allCases)
    func aSignatureHasTheLengthOfItsKind(algorithm: SigningAlgorithm) throws {
        let signer = SigningKey(algorithm.rawValue)
        let key = try keys(signer.publicKey)[0]
        let parts = signer.token(["sub": "anna"]).split(separator: ".").map { String($0) }
        let good = try #require(Base64.decodeURLSafe(parts[2]))
        func verifies(_ signature: [UInt8]) -> Bool {
            key.verifies("\(parts[0]).\(parts[1]).\(Base64.encodeURLSafe(signature))", by: algorithm)
        }
        #expect(verifies(good))
        let zeros = [UInt8](repeating: 0, count: good.count)
        let ones = [UInt8](repeating: 0xFF, count: good.count)
        let bad: [[UInt8]] = [
            [], [0] + good, good + [0], Array(good.dropLast()), Array(good.dropFirst()), zeros, ones, good + good,
        ]
        for signature in bad { #expect(!verifies(signature), "\(signature.count)") }
        let numbers: [UInt8] = [0x02, 33, 0] + good.prefix(32) + [0x02, 33, 0] + good.dropFirst(32)
        #expect(!verifies([0x30, UInt8(truncatingIfNeeded: numbers.count)] + numbers))
        // With two texts of one signature, one token would have two hashes.
        #expect(!key.verifies("\(parts[0]).\(parts[1]).\(parts[2])=", by: algorithm))
        #expect(!key.verifies("\(parts[0]).\(parts[1])", by: algorithm) && !key.verifies("", by: algorithm))
    }

    /// The numbers of a signature may begin with zeros, as one in 256 does; they are part of the signature.
    @Test(arguments: [SigningAlgorithm.rs256, .ps256])
    func aSignatureKeepsItsLeadingZeros(algorithm: SigningAlgorithm) throws {
        let signer = SigningKey(algorithm.rawValue)
        let key = try keys(signer.publicKey)[0]
        for number in 0..<4096 {
            let parts = signer.token(["sub": "anna", "n": .string("\(number)")]).split(separator: ".").map {
                String($0)
            }
            let good = Base64.decodeURLSafe(parts[2]) ?? []
            guard good.first == 0 else { continue }
            let message = "\(parts[0]).\(parts[1])."
            #expect(key.verifies(message + parts[2], by: algorithm))
            return #expect(!key.verifies(message + Base64.encodeURLSafe(Array(good.dropFirst())), by: algorithm))
        }
        Issue.record("no signature of 4,096 begins with a zero")
    }

    /// A point that is not on the curve belongs to another curve, for which a signature is easily forged.
    @Test func aPointBesideTheCurveIsNoKey() throws {
        guard case .object(let good) = SigningKey("ES256", id: "good").publicKey else { return }
        let zeros = JSONValue.string(Base64.encodeURLSafe([UInt8](repeating: 0, count: 32)))
        let large = JSONValue.string(Base64.encodeURLSafe([UInt8](repeating: 0xFF, count: 32)))
        let bad = [
            good.merging(["x": zeros, "y": zeros]) { $1 }, good.merging(["x": good["y"] ?? zeros]) { $1 },
            good.merging(["y": large]) { $1 },
        ]
        let set = try KeySet(
            JSONValue.object(["keys": .array(bad.map { .object($0.merging(["kid": "bad"]) { $1 }) } + [.object(good)])])
                .bytes)
        #expect(set.keys.map(\.id) == ["good"])
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
            // A shared secret must not be published, and a token signed with it proves nothing.
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

    /// Addresses and certificates in a key are ignored; only its numbers are used.
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

    /// The Kelvin sign is not ‘K’, and a composed name is not the decomposed one.
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
        // A token that names no key uses the issuer's only key.
        #expect(set.key(id: nil, for: .ps256)?.id == "a" && set.key(id: nil, for: .edDSA) == nil)
        let two = try KeySet(JSONValue.object(["keys": [rsa.publicKey, SigningKey("RS256").publicKey]]).bytes)
        #expect(two.key(id: nil, for: .rs256) == nil)
    }
}

import Postgres
import SyncTestSupport
import Testing
import WireFormats

@testable import OpenID

/// The rules of RFC 8725 (BCP 225), one by one: tokens that must be rejected, whoever made them.
@Suite struct SignedTokenTests {
    /// A key of each kind, created once because that takes long.
    private static let rsa = SigningKey("RS256", id: "rsa")
    private static let curve = SigningKey("ES256", id: "curve")
    /// A key that belongs to no issuer.
    private static let attacker = SigningKey("RS256", id: "rsa")

    private func withIssuer(
        _ entry: [String: JSONValue] = [:], _ body: (TestIssuer, IdentityProviders) async throws -> Void
    ) async throws {
        let issuer = try TestIssuer([SignedTokenTests.rsa, SignedTokenTests.curve])
        do {
            try await body(issuer, IdentityProviders(try issuer.file(entry)))
        } catch {
            await issuer.stop()
            throw error
        }
        await issuer.stop()
    }

    /// Returns the reason why the token is rejected; `nil` if it is accepted.
    private func fault(
        _ token: String, _ providers: IdentityProviders, at now: Timestamp = .now
    ) async throws -> TokenFault? {
        do {
            _ = try await providers.claimed(token, at: now).verified()
            return nil
        } catch let fault as TokenFault {
            return fault
        }
    }

    @Test func aGoodTokenSaysWhoItIs() async throws {
        try await withIssuer { (issuer, providers) async throws in
            for signer in [SignedTokenTests.rsa, SignedTokenTests.curve] {
                let token = signer.token(issuer.claims("anna"))
                let claims = try await providers.claimed(token, at: .now).verified()
                #expect(claims.subject == "test:anna" && claims.app == nil && claims.mayWrite && claims.spaces == [])
                #expect(claims.ends > .now && claims.ends < Timestamp.now.adding(.seconds(700)))
            }
            // Only one fetch for any number of tokens.
            #expect(issuer.requests.keys == 1)
        }
    }

    /// RFC 8725, section 2.1: the server chooses the algorithm, not the token.
    @Test func noneAndSecretsAreNoSignature() async throws {
        try await withIssuer { (issuer, providers) async throws in
            let claims = issuer.claims("anna")
            for name in ["none", "None", "NONE", "nOnE", "HS256", "HS512", "RS384", "ES256K", "dir", ""] {
                let header = JSONValue.object(["alg": .string(name), "kid": "rsa"]).text
                let unsigned = SigningKey.part(header) + "." + SigningKey.part(claims.text) + "."
                #expect(try await fault(unsigned, providers) == .algorithm, "\(name)")
                #expect(try await fault(SignedTokenTests.rsa.signing(header, claims.text), providers) == .algorithm)
            }
            guard case .object(let key) = SignedTokenTests.rsa.publicKey, case .string(let modulus)? = key["n"] else {
                return
            }
            for secret in [Array(modulus.utf8), Base64.decodeURLSafe(modulus) ?? [], []] {
                for name in ["HS256", "RS256", "ES256"] {
                    let header: JSONValue = ["alg": .string(name), "kid": "rsa", "typ": "JWT"]
                    #expect(try await fault(SigningKey.token(claims, secret: secret, header: header), providers) != nil)
                }
            }
            // The key of one algorithm with the name of another.
            #expect(
                try await fault(SignedTokenTests.rsa.token(claims, header: ["alg": "ES256"]), providers) == .key)
            #expect(
                try await fault(SignedTokenTests.rsa.token(claims, header: ["alg": "PS256"]), providers) == .signature)
        }
        try await withIssuer(["algorithms": ["ES256"]]) { (issuer, providers) async throws in
            #expect(try await fault(SignedTokenTests.rsa.token(issuer.claims("anna")), providers) == .algorithm)
            #expect(try await fault(SignedTokenTests.curve.token(issuer.claims("anna")), providers) == nil)
        }
    }

    /// RFC 8725, sections 2.10 and 3.10, and RFC 7515, section 4.1.11.
    @Test func noTokenChoosesItsKeyOrItsRules() async throws {
        try await withIssuer { (issuer, providers) async throws in
            let claims = issuer.claims("anna")
            let address: JSONValue = .string("\(issuer.name)/attacker")
            let headers: [(String, JSONValue)] = [
                ("jwk", SignedTokenTests.attacker.publicKey), ("jku", address), ("x5u", address), ("x5c", ["AA"]),
                ("crit", ["exp"]), ("crit", []), ("b64", false), ("zip", "DEF"), ("enc", "A256GCM"),
            ]
            for (name, value) in headers {
                for signer in [SignedTokenTests.attacker, SignedTokenTests.rsa] {
                    let token = signer.token(claims, header: [name: value])
                    #expect(try await fault(token, providers) == .header(name))
                }
            }
            #expect(try await fault(SignedTokenTests.attacker.token(claims), providers) == .signature)
            for id in ["../../dev/null", "' OR 1=1 --", "RSA", ""] {
                let token = SignedTokenTests.rsa.token(claims, header: ["kid": .string(id)])
                // The key may be new until the issuer was asked, at most once a minute.
                var found: TokenFault? = .key
                do { found = try await fault(token, providers) } catch is KeysUnavailable {}
                #expect(found == .key)
            }
            #expect(issuer.requests.others == 0, "nothing that a token names is fetched")
        }
    }

    /// RFC 8725, section 3.11.
    @Test func tokensForOtherPurposesLetNobodyIn() async throws {
        try await withIssuer { (issuer, providers) async throws in
            for (type, isGood) in [
                ("JWT", true), ("jwt", true), ("at+jwt", true), ("application/at+jwt", true),
                ("logout+jwt", false), ("secevent+jwt", false), ("dpop+jwt", false), ("JOSE+JSON", false), ("", false),
            ] {
                let token = SignedTokenTests.rsa.token(issuer.claims("anna"), header: ["typ": .string(type)])
                #expect(try await fault(token, providers) == (isGood ? nil : .header("typ")), "\(type)")
            }
            let number = SignedTokenTests.rsa.token(issuer.claims("anna"), header: ["typ": 1])
            #expect(try await fault(number, providers) == .header("typ"))
            let notice = issuer.claims("anna", ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]])
            #expect(try await fault(SignedTokenTests.rsa.token(notice), providers) == .claim("events"))
        }
    }

    /// RFC 8725, sections 3.8 and 3.9.
    @Test func itIsForUsAndOfAnIssuerOfOurs() async throws {
        try await withIssuer { (issuer, providers) async throws in
            func fault(_ claims: [String: JSONValue]) async throws -> TokenFault? {
                try await self.fault(SignedTokenTests.rsa.token(issuer.claims("anna", claims)), providers)
            }
            for name in ["https://else.example", issuer.name + "/", issuer.name.uppercased(), ""] {
                #expect(try await fault(["iss": .string(name)]) == .issuer, "\(name)")
            }
            for name: JSONValue in [1, .null, ["x"]] {
                #expect(try await fault(["iss": name]) == .claim("iss"))
            }
            for audience: JSONValue in ["other", "", [], ["other"], "EXAMPLE.PANTRY"] {
                #expect(try await fault(["aud": audience]) == .audience, "\(audience)")
            }
            for audience: JSONValue in [1, .null, [:], [1, "example.pantry"]] {
                #expect(try await fault(["aud": audience]) == .claim("aud"), "\(audience)")
            }
            #expect(try await fault(["aud": ["other", "example.pantry"], "azp": "example.pantry"]) == nil)
        }
    }

    /// OpenID Connect Core 1.0, section 3.1.3.7, items 4 and 5.
    @Test func itWasMadeOutToOneOfOurs() async throws {
        func check(_ entry: [String: JSONValue], _ rows: [([String: JSONValue], TokenFault?)]) async throws {
            try await withIssuer(entry) { (issuer, providers) async throws in
                for (claims, expected) in rows {
                    let token = SignedTokenTests.rsa.token(issuer.claims("anna", claims))
                    #expect(try await fault(token, providers) == expected, "\(claims)")
                }
            }
        }
        let both: JSONValue = ["other", "example.pantry"]
        try await check(
            [:],
            [
                (["azp": "example.pantry"], nil), (["azp": "other"], .party), (["azp": ""], .party),
                (["azp": "EXAMPLE.PANTRY"], .party),
                // Every other party that the token is meant for has it, too.
                (["aud": both], .claim("azp")), (["aud": both, "azp": "other"], .party),
                (["aud": both, "azp": "example.pantry"], nil), (["aud": ["example.pantry", "example.pantry"]], nil),
            ])
        for party: JSONValue in [1, .null, .bool(true), ["example.pantry"], [:]] {
            try await check(["authorizedParties": ["app"]], [(["azp": party], .claim("azp"))])
        }
        // The tokens of an API are issued to apps.
        try await check(
            ["authorizedParties": ["Kiosk", "é"]],
            [
                (["azp": "Kiosk"], nil), (["aud": both, "azp": "Kiosk"], nil), (["azp": "example.pantry"], nil),
                (["azp": "é"], nil), (["azp": "\u{212A}iosk"], .party), (["azp": "e\u{301}"], .party),
                (["aud": both], .claim("azp")), ([:], nil),
                // This setting adds parties that a token may be issued to, not audiences.
                (["aud": "Kiosk", "azp": "Kiosk"], .audience),
            ])
        try await check(["audiences": ["example.pantry", "other"]], [(["aud": both], nil)])
    }

    /// Two apps of one issuer have an entry each.
    @Test func aTokenForTwoAppsIsForTheOneThatItWasMadeOutTo() async throws {
        let issuer = try TestIssuer([SignedTokenTests.rsa])
        let entries = ["fitiq", "keeptrack"].flatMap { app in
            issuer.fileContents(["audiences": [.string(app)], "app": .string(app)])["issuers"].elements
        }
        let providers = IdentityProviders(try IdentityFile(JSONValue.object(["issuers": .array(entries)]).bytes))
        for app in ["fitiq", "keeptrack"] {
            let claims = issuer.claims("anna", ["aud": ["fitiq", "keeptrack"], "azp": .string(app)])
            let signedIn = try await providers.claimed(SignedTokenTests.rsa.token(claims), at: .now).verified()
            #expect(signedIn.app == app)
        }
        let toNobody = SignedTokenTests.rsa.token(issuer.claims("anna", ["aud": ["fitiq", "keeptrack"]]))
        #expect(try await fault(toNobody, providers) == .claim("azp"))
        await issuer.stop()
    }

    /// Names are equal only if their bytes are, whatever Unicode counts as equal.
    @Test func whatLooksTheSameIsNotTheSame() async throws {
        let entry: [String: JSONValue] = [
            "audiences": ["Kiosk"], "claims": ["role": ["claim": "role", "write": ["Key", "clé"], "read": ["see"]]],
        ]
        try await withIssuer(entry) { (issuer, providers) async throws in
            func fault(_ audience: String, _ role: String) async throws -> TokenFault? {
                let claims = issuer.claims("anna", ["aud": .string(audience), "role": .string(role)])
                return try await self.fault(SignedTokenTests.rsa.token(claims), providers)
            }
            #expect(try await fault("Kiosk", "Key") == nil)
            #expect(try await fault("\u{212A}iosk", "Key") == .audience)
            for role in ["\u{212A}ey", "cle\u{301}"] {
                #expect(try await fault("Kiosk", role) == .claim("role"), "\(role)")
            }
        }
    }

    @Test func timesAreKeptToWithALeewayOfAMinute() async throws {
        try await withIssuer { (issuer, providers) async throws in
            let now = Timestamp.now
            func fault(_ name: String, _ offset: Double) async throws -> TokenFault? {
                let seconds = Double(now.microseconds) / 1_000_000 + offset
                let claims = issuer.claims("anna", [name: .double(seconds)])
                return try await self.fault(SignedTokenTests.rsa.token(claims), providers, at: now)
            }
            for (name, offset, expected) in [
                ("exp", -59, nil), ("exp", -61, .expired), ("exp", -86_400, .expired), ("exp", 0.5, nil),
                ("nbf", 59, nil), ("nbf", 61, .notYetValid), ("iat", 59, nil), ("iat", 61, .notYetValid),
            ] as [(String, Double, TokenFault?)] {
                #expect(try await fault(name, offset) == expected, "\(name) \(offset)")
            }
            for value: JSONValue in ["2030-01-01", .null, .bool(true), .double(1e300), .double(-1e300), [1]] {
                for name in ["exp", "nbf", "iat"] {
                    let token = SignedTokenTests.rsa.token(issuer.claims("anna", [name: value]))
                    #expect(try await self.fault(token, providers, at: now) == .claim(name), "\(name) \(value)")
                }
            }
            guard case .object(var claims) = issuer.claims("anna") else { return }
            claims["exp"] = nil
            let endless = SignedTokenTests.rsa.token(.object(claims))
            #expect(try await self.fault(endless, providers, at: now) == .claim("exp"))
        }
        try await withIssuer(["leewaySeconds": 0]) { (issuer, providers) async throws in
            let ended = issuer.claims("anna", lasting: -1)
            #expect(try await fault(SignedTokenTests.rsa.token(ended), providers) == .expired)
        }
    }

    /// Ambiguous tokens are rejected (RFC 8725, section 2.7), because the next reader might read them differently.
    @Test func nothingIsReadThatCanBeReadInTwoWays() async throws {
        try await withIssuer { (issuer, providers) async throws in
            let good = SignedTokenTests.rsa.token(issuer.claims("anna"))
            let parts = good.split(separator: ".").map(String.init)
            let header = #"{"alg":"RS256","kid":"rsa"}"#
            let claims = issuer.claims("anna").text
            let signer = SignedTokenTests.rsa
            let twice = claims.replacing(#""sub":"anna""#, with: #""sub":"anna","sub":"root""#)
            let headerTwice = #"{"alg":"RS256","alg":"none","kid":"rsa"}"#
            for (token, expected) in [
                (signer.signing(header, twice), .content("claims")),
                (signer.signing(headerTwice, claims), .content("header")),
                (signer.signing(header, "[]"), .content("claims")), (signer.signing(header, ""), .content("claims")),
                (signer.signing(header, claims + "{}"), .content("claims")),
                (signer.signing(header, "\u{FEFF}" + claims), .content("claims")),
                (signer.signing(#"{"kid":"rsa"}"#, claims), .content("header")),
                (signer.signing(#"{"alg":1,"kid":"rsa"}"#, claims), .content("header")),
                (parts[0] + "." + parts[1], .form), (good + ".", .form), (good + "." + parts[2], .form),
                (good + "=", .form),
                (good + " ", .form), ("." + good, .form), (good.replacing("_", with: "/") + "+", .form),
                (parts[0] + "=." + parts[1] + "." + parts[2], .form), ("", .form), ("eyJ..", .form),
                // The token is larger than the limit, and so is not even parsed.
                (signer.token(issuer.claims("anna", ["x": .string(String(repeating: "x", count: 9_000))])), .form),
            ] as [(String, TokenFault)] {
                #expect(try await fault(token, providers) == expected, "\(token.prefix(80))")
            }
            // Other bytes with a valid signature.
            let other = SigningKey.part(issuer.claims("bela").text)
            #expect(try await fault("\(parts[0]).\(other).\(parts[2])", providers) == .signature)
            #expect(try await fault("\(parts[0]).\(parts[1]).", providers) == .signature)
            let short = String(parts[2].dropLast(4))
            #expect(try await fault("\(parts[0]).\(parts[1]).\(short)", providers) != nil)
        }
    }

    @Test func claimsSayWhoAndWhatAsTheFileSays() async throws {
        let space = ID.random()
        let entry: [String: JSONValue] = [
            "app": "fitiq",
            "claims": [
                "subject": "https://pantry.example/user", "spaces": "spaces",
                "role": ["claim": "/realm~1access/roles", "write": ["editor"], "read": ["viewer"]],
            ],
        ]
        try await withIssuer(entry) { (issuer, providers) async throws in
            func signedIn(_ claims: [String: JSONValue]) async throws -> SignedIn {
                let token = SignedTokenTests.rsa.token(issuer.claims("no one", claims))
                return try await providers.claimed(token, at: .now).verified()
            }
            let user: [String: JSONValue] = ["https://pantry.example/user": "anna"]
            let editor = try await signedIn(
                user.merging(["realm/access": ["roles": ["x", "editor"]], "spaces": [.string("\(space)")]]) { $1 })
            #expect(
                editor.subject == "test:anna" && editor.app == "fitiq" && editor.mayWrite && editor.spaces == [space])
            // Words in one text, like those of ‘scope’.
            let viewer = try await signedIn(user.merging(["realm/access": ["roles": "viewer x"]]) { $1 })
            #expect(!viewer.mayWrite && viewer.spaces == [])
            let bad: [([String: JSONValue], String)] = [
                (user, "/realm~1access/roles"),
                (user.merging(["realm/access": ["roles": ["x"]]]) { $1 }, "/realm~1access/roles"),
                (user.merging(["realm/access": ["roles": "editor"], "spaces": "all"]) { $1 }, "spaces"),
                (user.merging(["realm/access": ["roles": "editor"], "spaces": [1]]) { $1 }, "spaces"),
                (["realm/access": ["roles": "editor"]], "https://pantry.example/user"),
                (
                    ["https://pantry.example/user": "", "realm/access": ["roles": "editor"]],
                    "https://pantry.example/user"
                ),
                (
                    ["https://pantry.example/user": "a\u{0}b", "realm/access": ["roles": "editor"]],
                    "https://pantry.example/user"
                ),
                (
                    [
                        "https://pantry.example/user": .string(String(repeating: "u", count: 251)),
                        "realm/access": ["roles": "editor"],
                    ],
                    "https://pantry.example/user"
                ),
            ]
            for (claims, name) in bad {
                let token = SignedTokenTests.rsa.token(issuer.claims("no one", claims))
                #expect(try await fault(token, providers) == .claim(name), "\(claims)")
            }
        }
    }
}

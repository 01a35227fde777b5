import Testing

@testable import SyncEngine
@testable import SyncServer

/// Tests of the `Authorization` headers that are bearer tokens (RFC 6750 section 2.1).
struct BearerTests {
    @Test(arguments: ["Bearer secret", "bearer secret", "BEARER   secret", "  Bearer secret  "])
    func schemeIsReadInAnyCase(header: String) {
        #expect(Authenticator.bearer(header)?.text == "secret")
    }

    @Test(arguments: [
        "", " ", "Bearer", "Bearer ", "Bearersecret", "Bearer\tsecret", "Bearer a b", "Basic secret", "Bearer: secret",
        "\u{42}earfr secret", "Bearer " + String(repeating: "x", count: Authenticator.secretSizeMaxBytes + 1),
    ])
    func anythingElseIsNone(header: String) {
        #expect(Authenticator.bearer(header) == nil)
    }

    /// FIPS 180-4, the example "abc"; twice, because both use what OpenSSL keeps.
    @Test func hashIsSHA256() {
        let digest: [UInt8] = [0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA]
        #expect(Secret(presented: "abc").hash.prefix(8).elementsEqual(digest))
        #expect(Secret(presented: "abc").hash.prefix(8).elementsEqual(digest))
        #expect(Secret(presented: "").hash.count == 32)
    }
}

import Dispatch
import SyncTestSupport
import Testing
import WireFormats

@testable import OpenID

/// The addresses from which keys may be fetched: those of the public Internet, unless the operator allows others.
@Suite struct PeerAddressTests {
    @Test(
        arguments: [
            [8, 8, 8, 8], [1, 1, 1, 1], [9, 255, 255, 255], [11, 0, 0, 0], [100, 63, 255, 255], [100, 128, 0, 0],
            [126, 255, 255, 255], [128, 0, 0, 0], [169, 253, 255, 255], [169, 255, 0, 0], [172, 15, 255, 255],
            [172, 32, 0, 0], [192, 0, 1, 0], [192, 167, 255, 255], [192, 169, 0, 0], [198, 17, 255, 255],
            [198, 20, 0, 0], [223, 255, 255, 255],
        ] as [[UInt8]])
    func publicFour(bytes: [UInt8]) throws {
        for form in try forms(bytes) { #expect(form.isPublic, "\(form)") }
    }

    @Test(
        arguments: [
            [0, 0, 0, 0], [0, 255, 255, 255], [10, 0, 0, 0], [10, 255, 255, 255], [100, 64, 0, 0],
            [100, 127, 255, 255], [127, 0, 0, 1], [127, 255, 255, 255], [169, 254, 0, 0], [169, 254, 169, 254],
            [172, 16, 0, 0], [172, 31, 255, 255], [192, 0, 0, 170], [192, 0, 2, 1], [192, 88, 99, 1],
            [192, 168, 0, 0], [192, 168, 255, 255], [198, 18, 0, 0], [198, 19, 255, 255], [198, 51, 100, 1],
            [203, 0, 113, 1], [224, 0, 0, 1], [239, 255, 255, 255], [240, 0, 0, 0], [255, 255, 255, 255],
        ] as [[UInt8]])
    func privateFour(bytes: [UInt8]) throws {
        for form in try forms(bytes) { #expect(!form.isPublic, "\(form)") }
    }

    /// Returns an IPv4 address in all its forms: by itself, and in IPv6 as mapped, through a translator, and through
    /// 6to4.
    private func forms(_ four: [UInt8]) throws -> [PeerAddress] {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        return try [
            four, zeros(10) + [0xFF, 0xFF] + four, [0x00, 0x64, 0xFF, 0x9B] + zeros(8) + four,
            [0x20, 0x02] + four + zeros(9) + [1],
        ].map { try #require(PeerAddress($0)) }
    }

    @Test(arguments: [
        ("2606:4700:4700:0:0:0:0:1111", true), ("2a00:1450:0:0:0:0:0:1", true), ("2001:200:0:0:0:0:0:1", true),
        ("3fff:1000:0:0:0:0:0:1", true), ("0:0:0:0:0:0:0:0", false), ("0:0:0:0:0:0:0:1", false),
        // IPv4-compatible, and translated within a network.
        ("0:0:0:0:0:0:808:808", false), ("0:0:0:0:ffff:0:808:808", false), ("64:ff9b:1:0:0:0:808:808", false),
        ("100:0:0:0:0:0:0:1", false), ("1fff:ffff:0:0:0:0:0:1", false), ("4000:0:0:0:0:0:0:1", false),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", false), ("2001:1ff:0:0:0:0:0:1", false),
        ("2001:db8:0:0:0:0:0:1", false), ("3fff:fff:0:0:0:0:0:1", false), ("5f00:0:0:0:0:0:0:1", false),
        ("fc00:0:0:0:0:0:0:1", false), ("fdff:ffff:0:0:0:0:0:1", false), ("fd00:ec2:0:0:0:0:0:254", false),
        ("fe80:0:0:0:0:0:0:1", false), ("fec0:0:0:0:0:0:0:1", false), ("ff02:0:0:0:0:0:0:1", false),
    ])
    func six(text: String, isPublic: Bool) throws {
        let groups = text.split(separator: ":").compactMap { UInt16($0, radix: 16) }
        let address = try #require(PeerAddress(groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }))
        #expect(address.isPublic == isPublic && address.description == text)
    }

    @Test func whatIsNoAddressOfEitherIsNone() {
        for count in [0, 3, 5, 15, 17] { #expect(PeerAddress([UInt8](repeating: 8, count: count)) == nil) }
    }

    /// The decision is made by the address of the connection, whatever its name, before a byte is sent.
    @Test func nothingIsFetchedFromThisMachineUnlessThatIsMeant() async throws {
        let issuer = try TestIssuer([SigningKey("ES256", id: "key")])
        let queue = DispatchQueue(label: "fetches of a test")
        let port = issuer.name.split(separator: ":").last ?? ""
        for host in ["127.0.0.1", "localhost"] {
            let address = "http://\(host):\(port)/keys"
            let failure = await #expect(throws: KeysUnavailable.self) {
                try await Download.content(of: address, allowsPrivate: false, on: queue)
            }
            let text = failure?.description ?? ""
            #expect(text.contains(address) && text.contains("allowPrivateAddresses"), "\(text)")
        }
        #expect(issuer.requests.keys == 0)
        let bytes = try await Download.content(of: "\(issuer.name)/keys", allowsPrivate: true, on: queue)
        #expect(issuer.requests.keys == 1 && !bytes.isEmpty)
        await issuer.stop()
    }

    /// Keys are refused by an issuer's entry, for any form of the address.
    @Test(arguments: ["10.0.0.1", "169.254.169.254", "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "[fd00:ec2::254]"])
    func keysInAPrivateNetworkAreRefused(host: String) async throws {
        let entry: JSONValue = [
            "issuer": "https://login.example", "audiences": ["example.pantry"], "subjectPrefix": "login:",
            "keys": .string("https://\(host):1/keys"),
        ]
        let file = try IdentityFile(JSONValue.object(["issuers": [entry]]).bytes)
        let failure = await IssuerKeys(file.issuers[0]).refresh()?.description ?? ""
        #expect(failure.contains("allowPrivateAddresses"), "\(failure)")
    }
}

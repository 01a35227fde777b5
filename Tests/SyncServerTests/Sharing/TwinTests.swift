import HTTPServer
import OpenID
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Two whose names Unicode counts as the same are two.
@Suite struct TwinTests {
    /// Each pair is equal as Swift's strings: an é of one scalar or of two, a K and the Kelvin sign, a Å and the
    /// Ångström sign, a Hangul syllable and its letters.
    private static let pairs = [
        ("jos\u{E9}", "jose\u{301}"), ("Karl", "\u{212A}arl"), ("\u{C5}sa", "\u{212B}sa"),
        ("\u{AC00}", "\u{1100}\u{1161}"),
    ]
    private static let key = SigningKey("ES256", id: "key")

    @Test func namesAreComparedByTheirBytes() {
        for (one, other) in TwinTests.pairs {
            #expect(one == other && Subject(one) != Subject(other))
            #expect(Set([Subject(one), Subject(other), Subject(one)]).count == 2)
            #expect((Subject(one) < Subject(other)) != (Subject(other) < Subject(one)))
        }
        #expect(Subject("ab") < Subject("b") && Subject("a") < Subject("ab") && !(Subject("a") < Subject("a")))
    }

    @Test func sharesOfBudgetsAreOfTwo() {
        for (one, other) in TwinTests.pairs {
            let grants = [one, other].map {
                Grant(app: nil, subject: Subject($0), role: .write, spaces: [])
            }
            #expect(grants[0] != grants[1] && Holder(grants[0].shareName) != Holder(grants[1].shareName))
        }
    }

    /// Look-ups of many tokens are one question: those of twins, too.
    @Test func twinsWhoComeTogetherAreNotTakenForEachOther() async throws {
        let issuer = try TestIssuer([TwinTests.key])
        let policy = RequestPolicy(providers: IdentityProviders(try issuer.file()))
        try await withTestServer(policy: policy) { server in
            func person(_ name: String, _ round: Int) -> Person {
                Person(name, server, token: TwinTests.key.token(issuer.claims(name, lasting: Int64(600 + round))))
            }
            var homes: [[String]] = []
            for (one, other) in TwinTests.pairs {
                var spaces: [String] = []
                for name in [one, other] {
                    let reply = try await person(name, -1).status(in: "me")
                    #expect(reply.status == 200)
                    let listed = try await person(name, -2).request("GET", "spaces").json["spaces"].elements
                    spaces.append(try #require(listed.first?["space"].string))
                }
                #expect(spaces[0] != spaces[1])
                homes.append(spaces)
            }
            // Each asks for the other's space and for what it is in, with a new token each time, all at once.
            let wrong = try await withThrowingTaskGroup { group in
                for round in 0..<20 {
                    for (pair, spaces) in zip(TwinTests.pairs, homes) {
                        for (name, own, others) in [(pair.0, spaces[0], spaces[1]), (pair.1, spaces[1], spaces[0])] {
                            let person = person(name, round)
                            group.addTask {
                                let foreign = try await person.status(in: others)
                                let listed = try await person.request("GET", "spaces").json["spaces"].elements
                                return foreign.status == 403 && listed.map { $0["space"] } == [.string(own)]
                                    ? [] : ["\(name): \(foreign.status), \(listed)"]
                            }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(wrong == [])
        }
        await issuer.stop()
    }

    @Test func aReaderRemovesNobodyWhoIsOnlyCalledTheSame() async throws {
        try await withTestServer { server in
            for (number, (one, other)) in TwinTests.pairs.enumerated() {
                let anna = try await Person("anna \(number)", server)
                let (editor, reader) = (try await Person(one, server), try await Person(other, server))
                let space = try await anna.makeSpace()
                try await anna.bring(editor, to: space)
                try await anna.bring(reader, to: space, as: "reader")
                let path = "spaces/\(space)/members/\(encoded(one))"
                #expect(try await reader.request("DELETE", path).isProblem(403, "forbidden"))
                let members = try await editor.request("GET", "spaces/\(space)/members").json["members"].elements
                #expect(members.map { $0["you"] } == [false, true, false])
                // And each leaves for itself.
                #expect(try await reader.request("DELETE", "spaces/\(space)/members/\(encoded(other))").status == 204)
                #expect(try await editor.status(in: space).status == 200)
                #expect(try await reader.status(in: space).status == 403)
            }
        }
    }

    private func encoded(_ name: String) -> String {
        name.utf8.map { byte in "%" + String(0x100 | Int(byte), radix: 16).dropFirst() }.joined()
    }
}

import PGStore
import Postgres
import SyncTestSupport
import Testing
import WireFormats

/// Promise P10: what is wrong with the text of one change stops neither the rest of its push nor its device.
@Suite struct UnreadableChangeTests {
    /// Bytes of a change instead of a value of `fields`, and the code that the change is answered.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let value: [UInt8]
        let code: String

        init(_ description: String, _ value: String, _ code: String = "malformed-change") {
            self.init(description, Array(value.utf8), code)
        }

        init(_ description: String, _ value: [UInt8], _ code: String = "malformed-change") {
            (testDescription, self.value, self.code) = (description, value, code)
        }
    }

    private static func quoted(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }
    private static let deep = 10_000

    static let faults: [Fault] = [
        Fault("the first half of an emoji", #""\ud83d""#), Fault("the second half of an emoji", #""a\ude00b""#),
        Fault("halves in the wrong order", #""\ude00\ud83d""#), Fault("a half before a letter", #""\uD83Dx""#),
        Fault("a half before an escaped quote", #""\ud83d\"""#), Fault("a half in a key", #"{"\ud83d":1}"#),
        Fault("bytes that are no UTF-8", quoted([0xC3, 0x28])),
        Fault("an emoji cut in two", quoted([0xF0, 0x9F, 0x98])),
        Fault("overlong UTF-8", quoted([0xC0, 0xAF])), Fault("a surrogate as UTF-8", quoted([0xED, 0xA0, 0xBD])),
        Fault("a number beyond Double", "1e999"), Fault("an integer of 2^64", "18446744073709551616"),
        Fault("a leading zero", "01"), Fault("a plus sign", "+1"), Fault("NaN", "NaN"), Fault("Infinity", "-Infinity"),
        Fault("a word in capitals", "TRUE"), Fault("a key twice", #"{"a":1,"a":2}"#),
        Fault("a key twice, once escaped", #"{"a":1,"\u0061":2}"#), Fault("no such escape", #""\x41""#),
        Fault("an escape cut off", #""\u00""#), Fault("an unescaped line break", "\"a\nb\""),
        Fault("an unescaped U+0000", "\"a\u{0}b\""),
        Fault(
            "nesting 10,000 deep",
            String(repeating: "[", count: deep) + String(repeating: "]", count: deep)),
        // What could be read always.
        Fault("U+0000", #""a\u0000b""#, "nul-character"), Fault("a number for a text", "1", "wrong-type"),
        Fault("a text of two megabytes", "\"" + String(repeating: "x", count: 2 << 20) + "\"", "record-too-large"),
    ]

    private func change(_ id: ID, _ value: [UInt8], at time: Int64) -> [UInt8] {
        Array(#"{"entity":"SDMeal","id":"\#(id)","op":"create","stamp":\#(moment(time)),"fields":{"notes":"#.utf8)
            + value
            + Array("}}".utf8)
    }

    private func send(_ changes: [[UInt8]], to action: String, _ server: TestServer) async throws -> TestReply {
        let body =
            Array("{\"changes\":[".utf8) + Array(changes.joined(separator: Array(" ,\n".utf8)))
            + Array("],\"cursor\":null}".utf8)
        return try await server.send("POST", server.path(action), body: body)
    }

    @Test("P10: a change that cannot be read is rejected, and the others are stored", arguments: faults)
    func theOthersGoIn(fault: Fault) async throws {
        try await withTestServer { server in
            for (round, action) in ["changes", "sync"].enumerated() {
                let ids = (0..<3).map { _ in ID.random() }
                let time = Int64(round * 10)
                let good = Array("\"soup\"".utf8)
                let changes = [
                    change(ids[0], good, at: time + 1), change(ids[1], fault.value, at: time + 2),
                    change(ids[2], good, at: time + 3),
                ]
                for applied in [2, 0] {
                    let reply = try await send(changes, to: action, server)
                    #expect(reply.status == 200, "\(reply)")
                    #expect(reply.json["applied"] == .int(Int64(applied)))
                    let rejected = reply.json["results"].elements.filter { $0["verdict"] == "rejected" }
                    #expect(rejected.map { $0["index"] } == [1])
                    #expect(rejected.first?["code"].string == fault.code, "\(reply)")
                    #expect(rejected.first?["detail"].string?.isEmpty == false)
                }
                let meals = try await server.view("0.1.1")["SDMeal"]
                #expect(ids.map { meals?[$0.description] != nil } == [true, false, true])
            }
        }
    }

    /// An operation that nobody knows, members that are none, and what is no object at all.
    @Test func whatIsNoChangeIsRejectedByItself() async throws {
        try await withTestServer { server in
            let others = [
                "null", "1", "\"x\"", "[]", "{}", #"{"op":"merge"}"#, #"{"\ud83d":1}"#,
                #"{"op":"create","op":"create"}"#,
            ]
            let good = change(.random(), Array("null".utf8), at: 1)
            let reply = try await send([good] + others.map { Array($0.utf8) } + [good], to: "changes", server)
            #expect(reply.status == 200 && reply.json["applied"] == 1, "\(reply)")
            let verdicts = reply.json["results"].elements.map { $0["verdict"].string }
            #expect(verdicts == others.map { _ in "rejected" } + ["unchanged"], "\(reply)")
        }
    }

    /// A change that is held beside it is kept to the letter.
    @Test func whatIsHeldBesideItIsTheChangeThatWasSent() async throws {
        try await withShop { server in
            let (bad, held) = (ID.random(), ID.random())
            let text = #"{"op":"create", "entity":"Item","id":"\#(held)","fields":{"name":"é\u00e9","price":"13"}}"#
            let body = #"{"changes":[{"op":"create","id":"\#(bad)","entity":"\ud83d"},\#(text)]}"#
            let reply = try await server.client().request(
                "POST", server.path(),
                headers: [
                    "Authorization: Bearer \(server.token)", "Schema-Version: 1.0.0", "Content-Type: application/json",
                ], body: Array(body.utf8))
            #expect(reply.json["results"].elements.map { $0["verdict"] } == ["rejected", "held"], "\(reply)")
            let change = try #require(try await server.held().first)
            #expect(String(decoding: change.content.bytes, as: UTF8.self) == text)
        }
    }
}

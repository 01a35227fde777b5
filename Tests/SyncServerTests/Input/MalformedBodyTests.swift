import SyncTestSupport
import Testing
import WireFormats

/// JSON is strict, and what is not gets a problem and stores nothing.
@Suite struct MalformedBodyTests {
    struct Body: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        var code = "malformed"
        var status = 400

        init(_ description: String, _ text: String) {
            testDescription = description
            bytes = Array(text.utf8)
        }

        init(_ description: String, bytes: [UInt8]) {
            testDescription = description
            self.bytes = bytes
        }
    }

    private static let good = #"{"entity":"SDMeal","id":"0b0f7f0e-0000-4000-8000-000000000001","op":"create"}"#
    private static let deep = 100_000

    static let bodies: [Body] = [
        Body("nothing", ""), Body("white space", "  \n"), Body("half", #"{"changes":["#),
        Body("a trailing comma in an array", #"{"changes":[\#(good),]}"#),
        Body("a trailing comma in an object", #"{"changes":[\#(good)],}"#),
        Body("the same key twice", #"{"changes":[],"changes":[\#(good)]}"#),
        Body("the same key twice, once escaped", #"{"changes":[],"\u0063hanges":[\#(good)]}"#),
        Body("a change without its last bracket", #"{"changes":[\#(good.dropLast())]}"#),
        Body("a change with a bracket of another kind", #"{"changes":[\#(good.dropLast())]]}"#),
        Body("a change with a quote too few", #"{"changes":[{"entity":"SDMeal},\#(good)]}"#),
        Body("two changes without a comma", #"{"changes":[\#(good)\#(good)]}"#),
        Body("something after the value", #"{"changes":[\#(good)]} {}"#),
        Body("NUL after the value", "{\"changes\":[\(good)]}\u{0}"),
        Body("a lone surrogate", #"{"changes":[\#(good)],"x":"\ud800"}"#),
        Body("surrogates in the wrong order", #"{"changes":[\#(good)],"x":"\udc00\ud800"}"#),
        Body("a byte order mark", "\u{FEFF}{\"changes\":[\(good)]}"),
        Body("an unescaped control character", "{\"changes\":[\(good)],\"x\":\"a\u{1}\"}"),
        Body("an unescaped line break", "{\"changes\":[\(good)],\"x\":\"a\n\"}"),
        Body("a single quote", "{'changes':[]}"), Body("a comment", "{\"changes\":[/* */]}"),
        Body("a number beyond Double", #"{"changes":[\#(good)],"x":1e999}"#),
        Body("an integer of 2^64", #"{"changes":[\#(good)],"x":18446744073709551616}"#),
        Body("a leading zero", #"{"changes":[\#(good)],"x":01}"#), Body("NaN", #"{"changes":[\#(good)],"x":NaN}"#),
        Body(
            "nesting 100,000 deep",
            #"{"changes":"# + String(repeating: "[", count: deep) + String(repeating: "]", count: deep) + "}"),
        Body("objects 100,000 deep, not closed", String(repeating: #"{"a":"#, count: deep)),
        Body("an array", "[\(good)]"), Body("a string", #""changes""#), Body("null", "null"),
        Body("no changes", "{}"), Body("changes that are null", #"{"changes":null}"#),
        Body("changes that are an object", #"{"changes":{}}"#),
        Body("invalid UTF-8", bytes: Array("{\"changes\":[\(good)],\"x\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)),
        Body(
            "overlong UTF-8", bytes: Array("{\"changes\":[\(good)],\"x\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8)),
        Body("UTF-16", bytes: "{\"changes\":[\(good)]}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
    ]

    @Test(arguments: bodies)
    func aBodyThatIsNotStrictJSONIsMalformedAndStoresNothing(body: Body) async throws {
        try await withTestServer { server in
            #expect(try await server.post([.create("SDMeal", .random(), at: moment(1))]).status == 200)
            let before = try await server.contents()
            for action in ["changes", "sync"] {
                let reply = try await server.send("POST", server.path(action), body: body.bytes)
                #expect(reply.isProblem(body.status, body.code), "\(action): \(reply)")
                #expect(reply.json["detail"].string?.isEmpty == false)
            }
            #expect(try await server.contents() == before)
            #expect(try await server.isHealthy())
        }
    }

    @Test func aBodyOverTheLimitIsTooLargeHoweverItIsSent() async throws {
        try await withTestServer { server in
            let before = try await server.contents()
            let headers = server.headers().joined(separator: "\r\n")
            let line = "POST \(server.path()) HTTP/1.1\r\nHost: test\r\n\(headers)\r\n"
            let stated = try await server.client().exchange(Array("\(line)Content-Length: 9000000\r\n\r\n{".utf8))
            #expect(stated.isProblem(413, "too-large"), "\(stated)")

            let megabyte = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
            var chunked = Array("\(line)Transfer-Encoding: chunked\r\n\r\n".utf8)
            for _ in 0..<9 { chunked += Array("100000\r\n".utf8) + megabyte + Array("\r\n".utf8) }
            let unstated = try await server.client().exchange(chunked + Array("0\r\n\r\n".utf8))
            #expect(unstated.isProblem(411, "length-required"), "\(unstated)")
            #expect(try await server.contents() == before)
            #expect(try await server.isHealthy())
        }
    }

    @Test func tooManyChangesAreTooLargeAndStoreNothing() async throws {
        try await withTestServer { server in
            let reply = try await server.post((0..<5001).map { _ in .delete("SDMeal", .random(), at: moment(1)) })
            #expect(reply.isProblem(413, "too-large"), "\(reply)")
            #expect(try await server.contents().allSatisfy { $0.hasSuffix(" 0 0") })
            let most = try await server.post((0..<5000).map { _ in .delete("SDMeal", .random(), at: moment(1)) })
            #expect(most.status == 200 && most["sync-head"] == "5000")
        }
    }
}

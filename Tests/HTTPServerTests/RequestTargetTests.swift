import HTTPServer
import Testing

struct RequestTargetTests {
    @Test(
        arguments: [
            ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//", ["", ""]), ("/a%2Fb/c", ["a/b", "c"]), ("*", []),
            ("http://host:80/a/b", ["a", "b"]), ("https://host", []), ("http://host?x=1", []), ("/..", [".."]),
            ("/a+b", ["a+b"]),
        ] as [(String, [String])])
    func pathIsSplitBeforeItIsDecoded(text: String, segments: [String]) {
        #expect(RequestTarget(text.utf8)?.segments == segments)
    }

    @Test func queryKeepsOrderAndRepetition() throws {
        let target = try #require(RequestTarget("/p?a=1&b=2&a=%26&&c&=d&e=f=g".utf8))
        #expect(target.path == "/p")
        #expect(target.query.map(\.name) == ["a", "b", "a", "c", "", "e"])
        #expect(target.query.map(\.value) == ["1", "2", "&", "", "d", "f=g"])
    }

    @Test func everyByteSurvivesEncodingOrIsRefused() {
        for byte in UInt8.min...UInt8.max {
            let hex = (byte < 16 ? "0" : "") + String(byte, radix: 16)
            let segments = RequestTarget("/%\(hex)".utf8)?.segments
            #expect(segments == (byte == 0 || byte > 127 ? nil : [String(UnicodeScalar(byte))]))
        }
    }

    @Test(arguments: ["", "a", "%", "/%", "/%1", "/%g1", "/%1g", "/\u{0}", "/?%", "http:/x"])
    func brokenTargetIsRefused(text: String) {
        #expect(RequestTarget(text.utf8) == nil)
    }

    /// The first byte, sent raw, is the first of two bytes of a character; the second is sent as an escape.
    @Test(arguments: ["/", "/?", "/?a="])
    func escapeDoesNotCompleteACharacter(prefix: String) {
        #expect(RequestTarget(Array(prefix.utf8) + [0xC3] + Array("%A9".utf8)) == nil)
        #expect(RequestTarget(Array(prefix.utf8) + Array("%C3%A9".utf8)) != nil)
    }

    @Test func problemIsValidJSON() {
        var problem = Problem.malformed("a \"quote\" \\ and\n\u{1}")
        problem.extensions = [("known", "[1]")]
        guard case .bytes(let body) = problem.response.body else { return }
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"type":"about:blank","title":"The request cannot be understood","status":400,"code":"malformed","#
                + #""detail":"a \"quote\" \\ and\n\u0001","known":[1]}"#)
    }
}

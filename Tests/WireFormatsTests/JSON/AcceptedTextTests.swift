import StrictJSON
import Testing
import WireFormats

/// Texts that are JSON by RFC 8259, and their values.
struct AcceptedTextTests {
    @Test(arguments: [
        ("null", JSONTree.null), ("true", .bool(true)), ("false", .bool(false)), (" \t\r\n1 \t\r\n", .int(1)),
        ("0", .int(0)), ("-0", .int(0)), ("-1", .int(-1)), ("9223372036854775807", .int(.max)),
        ("-9223372036854775808", .int(.min)), ("9223372036854775808", .uint(1 << 63)),
        ("18446744073709551615", .uint(.max)), ("1.0", .double(1)), ("-0.0", .double(0)), ("1e3", .double(1000)),
        ("1E+3", .double(1000)), ("1e-3", .double(0.001)), ("0e5", .double(0)), ("0.1e1", .double(1)),
        ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("5e-324", .double(.leastNonzeroMagnitude)),
        ("1e-400", .double(0)), ("123456789012345678901234567890.0", .double(1.2345678901234568e29)),
        ("0.1", .double(0.1)), ("1e0000000000000000000000000000000001", .double(10)),
    ])
    func scalarsReadAsTheyAreWritten(_ text: String, _ expected: JSONTree) throws {
        #expect(JSONTree(try JSONDocument(parsing: text).root) == expected)
    }

    @Test(arguments: [
        (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000""#, "\0"),
        (#""\u00e9\u00E9""#, "éé"), (#""\ud83d\ude00""#, "😀"), (#""\uD800\uDC00""#, "\u{10000}"),
        (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"), (#""é漢😀""#, "é漢😀"),
        ("\"\u{7F}\u{80}\u{2028}\u{FEFF}\u{FFFF}\"", "\u{7F}\u{80}\u{2028}\u{FEFF}\u{FFFF}"), (#""\\u12""#, "\\u12"),
        (#""//""#, "//"), (#""[,]""#, "[,]"),
    ])
    func stringsAreUnescaped(_ text: String, _ expected: String) throws {
        let read = try #require(try JSONDocument(parsing: text).root.string)
        #expect(Array(read.utf8) == Array(expected.utf8))
    }

    @Test(arguments: [
        "[]", "{}", "[[],{}]", "[null,1,\"1\",{}]", " [ 1 , 2 ] ", "{\"a\":{\"a\":{\"a\":1}}}", "{\"\":0}",
        "{\"a\":1,\"A\":2,\"\u{E1}\":3,\"a\u{301}\":4}", "[1,\n2]", "[{\"a\":1},{\"a\":1}]", "{\"a\":[],\"b\":[]}",
    ])
    func containersAreAccepted(_ text: String) throws {
        _ = try JSONDocument(parsing: text)
    }

    @Test(arguments: ["[", "{\"a\":"])
    func sixtyFourLevelsAreAcceptedEmptyOrNot(_ opening: String) throws {
        let closing = opening == "[" ? "]" : "}"
        let full = String(repeating: opening, count: 64) + "1" + String(repeating: closing, count: 64)
        _ = try JSONDocument(parsing: full)
        let empty = String(repeating: opening, count: 63) + "[]" + String(repeating: closing, count: 63)
        _ = try JSONDocument(parsing: empty)
    }

    @Test(arguments: SeededRandom.seeds)
    func randomTreesReadBackFromAnyOfTheirTexts(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<3_000 {
            let tree = JSONTree.random(depth: 4, using: &random)
            let text = tree.wildText(using: &random)
            for parser in JSONParser.allCases {
                let document = try Array(text.utf8).withUnsafeBytes { try JSONDocument(parsing: $0, with: parser) }
                #expect(JSONTree(document.root) == tree, "\(parser): \(text)")
            }
        }
    }

    /// Texts for which the tape is longest in relation to the text, so that the parser must have allocated enough.
    @Test(
        arguments: JSONParser.allCases, ["1", #""""#, "[1,2,3]", #"["","",""]"#, #"{"":""}"#, "[[],{}]", "[1.5,-2]"])
    func textsWithLittleBetweenTheirValuesAreReadWhole(_ parser: JSONParser, _ text: String) throws {
        let document = try Array(text.utf8).withUnsafeBytes { try JSONDocument(parsing: $0, with: parser) }
        #expect(document.root.canonicalText() == text)
    }

    @Test func textsAroundTheParserSizesAreReadWhole() throws {
        for size in [0, 1, 63, 64, 65, 4095, 4096, 4097, 262_142, 262_143, 300_000] {
            let text = "\"" + String(repeating: "x", count: size) + "\""
            #expect(try JSONDocument(parsing: text).root.string?.utf8.count == size)
            let numbers = "[" + Array(repeating: "7", count: size / 2 + 1).joined(separator: ",") + "]"
            #expect(try JSONDocument(parsing: numbers).root.elements?.count == size / 2 + 1)
            let empties = "[" + Array(repeating: "\"\"", count: size / 3 + 1).joined(separator: ",") + "]"
            #expect(try JSONDocument(parsing: empties).root.elements?.allSatisfy { $0.string == "" } == true)
        }
    }
}

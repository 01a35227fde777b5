import StrictJSON
import Testing
import WireFormats

/// Texts that are not JSON by RFC 8259, and texts that the RFC allows a reader to reject.
struct RefusedTextTests {
    private func refusal(_ bytes: [UInt8], _ limits: JSONDocument.Limits = .init()) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONDocument(parsing: bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(_ text: String) -> JSONError? { refusal(Array(text.utf8)) }

    private func byte(_ character: Unicode.Scalar, _ offset: Int) -> JSONError {
        .unexpectedByte(UInt8(ascii: character), offset: offset)
    }

    @Test(arguments: ["", " ", "\n\t\r "])
    func emptyTextIsRefused(_ text: String) { #expect(refusal(text) == .empty) }

    @Test(arguments: [
        ("[1,]", "]", 3), ("{\"a\":1,}", "}", 7), ("[,1]", ",", 1), ("[1,,2]", ",", 3), ("{,}", ",", 1),
        ("[1 2]", "2", 3),
        ("{\"a\" 1}", "1", 5), ("{1:1}", "1", 1), ("{\"a\":}", "}", 5), ("{\"a\",1}", ",", 4), ("{a:1}", "a", 1),
        ("{'a':1}", "'", 1), ("[}", "}", 1), ("{]", "]", 1), ("[1}", "}", 2), ("]", "]", 0), ("}", "}", 0),
        (",", ",", 0),
        (":", ":", 0), ("{\"a\":1 \"b\":2}", "\"", 7), ("[1;2]", ";", 2), ("NaN", "N", 0), ("Infinity", "I", 0),
        ("-Infinity", "-", 0), ("+1", "+", 0), (".5", ".", 0), ("'a'", "'", 0), ("True", "T", 0), ("truth", "t", 3),
        ("nul!", "!", 3), ("//x\n1", "/", 0), ("/**/1", "/", 0), ("[1/**/]", "/", 2), ("#1", "#", 0),
        ("undefined", "u", 0),
        ("[\u{000B}1]", "\u{B}", 1), ("[\"a\" \"b\"]", "\"", 5), ("\\u0031", "\\", 0), ("[\\n]", "\\", 1),
        ("a\u{0}", "a", 0),
    ])
    func misplacedBytesAreRefused(_ text: String, _ character: Unicode.Scalar, _ offset: Int) {
        let expected = text == "-Infinity" ? .invalidNumber(offset: 0) : byte(character, offset)
        #expect(refusal(text) == expected)
    }

    @Test(arguments: [
        ("[", 1), ("{", 1), ("[1", 2), ("[1,", 3), ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,", 7),
        ("\"", 1),
        ("\"abc", 4), ("\"\\", 2), ("\"\\u00", 5), ("\"\\\"", 3), ("tru", 3), ("-", 1), ("1.", 2), ("1e", 2),
        ("1e+", 3),
        ("[\"a", 3), ("[[]", 3),
    ])
    func cutTextsAreRefused(_ text: String, _ offset: Int) { #expect(refusal(text) == .unexpectedEnd(offset: offset)) }

    @Test(arguments: [
        ("{}x", 2), ("1 2", 2), ("[]]", 2), ("{}}", 2), ("null,", 4), ("\"\"\"\"", 2), ("1 //", 2), ("[1]\0", 3),
        ("1\u{FEFF}", 1),
        ("truex", 4), ("0x1", 1), ("1a", 1), ("1+", 1),
    ])
    func bytesAfterTheValueAreRefused(_ text: String, _ offset: Int) {
        #expect(refusal(text) == .trailingContent(offset: offset))
    }

    @Test(arguments: ["01", "-01", "00", "-", "-a", "1.a", "1.e1", "1ea", "1e+a", "0123.4", "-00"].map { "[\($0)]" })
    func malformedNumbersAreRefused(_ text: String) { #expect(refusal(text) == .invalidNumber(offset: 1)) }

    @Test(arguments: [
        "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890", "1e400", "-1e400",
        "1.7976931348623159e308", "1e99999999999999999999", String(repeating: "9", count: 400) + ".0",
    ])
    func numbersOutOfRangeAreRefused(_ number: String) {
        #expect(refusal("[\(number)]") == .numberOutOfRange(offset: 1))
    }

    @Test(arguments: [
        #""\udc00""#, #""\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
        #""\udfff\ud800""#, #""\uD83D \uDE00""#, #""\ud800\\udc00""#, #""\uDBFF\uE000""#,
    ])
    func loneSurrogatesAreRefused(_ text: String) {
        #expect(refusal(text) == .loneSurrogate(offset: 1))
        #expect(refusal("{\(text):1}") == .loneSurrogate(offset: 2))
    }

    @Test(arguments: [#""\x""#, #""\u12G4""#, #""\u""#, #""\u123""#, #""\U0041""#, #""\'""#, #""\0""#, #""\ ""#])
    func invalidEscapesAreRefused(_ text: String) { #expect(refusal(text) == .invalidEscape(offset: 1)) }

    @Test func everyUnescapedControlCharacterIsRefused() {
        for code in UInt8(0)..<0x20 {
            #expect(refusal([0x22, 0x61, code, 0x22]) == .controlCharacter(offset: 2))
            #expect(refusal([0x7B, 0x22, code, 0x22, 0x3A, 0x31, 0x7D]) == .controlCharacter(offset: 2))
        }
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE], [0xC3],
            [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3, 0x28], [0xE2, 0x28, 0xA1], [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8IsRefused(_ bytes: [UInt8]) {
        #expect(refusal([0x22] + bytes + [0x22]) == .invalidUTF8(offset: 1))
        #expect(refusal(bytes) != nil)
    }

    @Test func aByteOrderMarkIsRefused() {
        #expect(refusal("\u{FEFF}{}") == .byteOrderMark)
        #expect(refusal("\u{FEFF}") == .byteOrderMark)
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func deeperThanTheLimitIsRefused(_ opening: String) {
        let step = opening.utf8.filter { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }.count
        let text = String(repeating: opening, count: 65 / step + 1)
        guard case .tooDeep(max: 64, offset: _) = refusal(text) else {
            Issue.record("\(String(describing: refusal(text)))")
            return
        }
        #expect(
            refusal(String(repeating: "[", count: 64) + "[]" + String(repeating: "]", count: 64))
                == .tooDeep(max: 64, offset: 64))
        #expect(
            refusal(String(repeating: "[", count: 64) + "[1]" + String(repeating: "]", count: 64))
                == .tooDeep(max: 64, offset: 64))
        #expect(refusal(Array(repeating: UInt8(ascii: "["), count: 1_000_000)) == .tooDeep(max: 64, offset: 64))
    }

    @Test func longerThanTheLimitIsRefused() {
        #expect(refusal(Array("[1,2]".utf8), .init(bytesMax: 4)) == .tooLarge(bytes: 5, max: 4))
        #expect(refusal(Array("[12]".utf8), .init(bytesMax: 4)) == nil)
        #expect(refusal(Array("[[]]".utf8), .init(depthMax: 1)) == .tooDeep(max: 1, offset: 1))
        #expect(refusal(Array("[]".utf8), .init(depthMax: 0)) == .tooDeep(max: 0, offset: 0))
        #expect(refusal(Array("1".utf8), .init(depthMax: 0)) == nil)
    }

    @Test func everyDescriptionIsASentence() {
        let errors: [JSONError] = [
            .empty, .tooLarge(bytes: 2, max: 1), .tooDeep(max: 1, offset: 1), .byteOrderMark, byte("a", 3),
            .unexpectedByte(7, offset: 3), .unexpectedEnd(offset: 1), .trailingContent(offset: 1),
            .invalidUTF8(offset: 1),
            .controlCharacter(offset: 1), .invalidEscape(offset: 1), .loneSurrogate(offset: 1),
            .invalidNumber(offset: 1),
            .numberOutOfRange(offset: 1), .malformed, .outOfMemory,
        ]
        for error in errors { #expect(error.description.hasSuffix("."), "\(error)") }
        #expect(byte("a", 3).description == "Unexpected 'a' at byte 3.")
        #expect(JSONError.unexpectedByte(7, offset: 3).description == "Unexpected 0x07 at byte 3.")
    }
}

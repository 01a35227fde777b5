import StrictJSON
import Testing
import WireFormats

@testable import DemoApps

/// A reader of JSON with numbers of any length; it reads all else as the JSON reader does.
@Suite struct LongNumbersTests {
    @Test(arguments: [
        ("1.6666666666666666666666666666666666667", "1.6666666666666666666666666666666666667"),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ("-12345678901234567", "-12345678901234567"), ("1234567890123456", "1234567890123456"),
        ("0.30000000000000004", "0.30000000000000004"), ("1E-30", "0.000000000000000000000000000001"),
        ("999999999999999", "999999999999999"), ("0.07", "0.07"), ("3.0", "3"), ("-0", "0"),
    ])
    func everyDigitOfANumberArrives(text: String, decimal: String) throws {
        let row = LegacyRow(
            try LegacyFile(LongNumbers.quoted(Array(#"{"a":\#(text),"b":[\#(text)]}"#.utf8)), lists: []).root)
        #expect(try row.decimal("a")?.text == decimal)
    }

    @Test(arguments: [
        #"{"a":012345678901234567890}"#, #"{"a":.12345678901234567}"#, #"{"a":+12345678901234567}"#,
        #"{12345678901234567:1}"#, #"{12345678901234567 : 1}"#, "[1234567890123456712345678901234567", "1e5 1e5",
        #"{"a":1234567890123456.}"#, "1e510.1234567890123456", "-01234567890123456789", #"["12345678901234567\"]"#,
        "[1e]", "[-e5]",
    ])
    func whatIsNoJSONIsRefused(text: String) throws {
        #expect(throws: LegacyFault.self) {
            try LegacyFile(LongNumbers.quoted(Array(text.utf8)), lists: [], original: Array(text.utf8))
        }
    }

    /// Random sequences of pieces of JSON, most of which are invalid.
    @Test func whatTheReaderAcceptsOrRefusesIsTheSameButForLongNumbers() throws {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "1", "-", ".5", "e5", "1e5", "12345678901234567", "0.1234567890123456789",
            "\"", "\"a\"", "\\", "\\\"", "\"1e5\":", " ", "true", "null", "\n",
        ]
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        var random = SplitMix64(seed: seed)
        var accepted = 0
        for _ in 0..<30_000 {
            let text = (0...random.next() % 7).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
            let read = try? JSONDocument(parsing: LongNumbers.quoted(Array(text.utf8))).root
            do throws(JSONError) {
                let plain = try JSONDocument(parsing: Array(text.utf8)).root
                accepted += 1
                let isSame = read.map { same(plain, $0) } ?? false
                #expect(isSame, "seed \(seed): \(text)")
            } catch .numberOutOfRange {
                // Only these texts have long numbers.
            } catch {
                #expect(read == nil, "seed \(seed): \(text)")
            }
        }
        #expect(accepted > 100, "seed \(seed): only \(accepted) texts were JSON")
    }

    /// True if both are equal, except for numbers that became texts.
    private func same(_ plain: JSONNode, _ read: JSONNode) -> Bool {
        switch plain.kind {
        case .int, .uint, .double:
            return read.string.map { Double($0) == plain.double } ?? (read.double == plain.double)
        case .array:
            let (a, b) = (plain.elements.map(Array.init) ?? [], read.elements.map(Array.init) ?? [])
            return a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
        case .object:
            let (a, b) = (plain.members.map(Array.init) ?? [], read.members.map(Array.init) ?? [])
            return a.map(\.key) == b.map(\.key) && zip(a, b).allSatisfy { same($0.value, $1.value) }
        case .null, .bool, .string: return plain.canonicalText() == read.canonicalText()
        }
    }
}

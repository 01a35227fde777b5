import StrictJSON
import Testing

@testable import WireFormats

/// The conversion of stored column values to the values of an attribute on the wire.
@Suite struct WireFormTests {
    private func sent(_ json: String, _ type: AttributeType) -> String? {
        var writer = JSONWriter()
        return WireForm(type).write(json: json.utf8Span.span, to: &writer)
            ? String(decoding: writer.bytes, as: UTF8.self) : nil
    }

    private func sent(decimal: String) -> String? {
        var writer = JSONWriter()
        return WireForm(.decimal).write(decimal: decimal.utf8Span.span, to: &writer)
            ? String(decoding: writer.bytes, as: UTF8.self) : nil
    }

    private static let types: [AttributeType] = [
        .codable("Shape"), .codable("Shape").optional, .array(of: .bool), .array(of: .int), .array(of: .double),
        .array(of: .string), .array(of: .decimal), .array(of: .date), .array(of: .uuid), .array(of: .data),
        .array(of: .enumeration("Grade", ["low", "mid"])), .array(of: .codable("Shape")),
        .array(of: .array(of: .int)),
    ]

    /// The recognizer that needs one pass accepts exactly the texts that the JSON reader accepts.
    @Test(arguments: [5, UInt64.random(in: 6 ... .max)])
    func theShortWaySaysTheSameAsTheLongOne(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var count = 0
        for _ in 0..<20_000 {
            var text = ""
            append(to: &text, depth: Int(random.next() % 5), &random)
            for type in WireFormTests.types {
                let limits = JSONDocument.Limits(depthMax: WireForm.depthMax)
                let document = try? JSONDocument(parsing: text, limits: limits)
                let wanted = document.flatMap { try? ValueReader.read($0.root, as: type) }
                let sent = sent(text, type)
                // Numbers may be written longer than necessary: only their value counts.
                let again = try sent.map { try JSONDocument(parsing: $0).root.canonicalText() }
                var writer = JSONWriter()
                if let wanted { writer.value(wanted) }
                let right = wanted.map { _ in String(decoding: writer.bytes, as: UTF8.self) }
                #expect(again == right, "seed \(seed): \(text) as \(type)")
                if sent == text { count += 1 }
            }
        }
        #expect(count > 1_000)
    }

    private func append(to text: inout String, depth: Int, _ random: inout SplitMix64) {
        func pick(_ items: [String]) -> String { items[Int(random.next() % UInt64(items.count))] }
        let scalars = [
            "null", "true", "false", "tru", "0", "-0", "-0.0", "00", "01", "1", "-1.50", "1.", "1e5", "1E+5", "1e-5",
            "1e201",
            "1e400", "1e0400", "-", "1.5e", "9223372036854775807", "9223372036854775808", "18446744073709551616",
            "999999999999999999", "\"\"", "\"low\"", "\"a\\nb\"", #""\ud800""#, #""\ud83d\ude00""#, #""\u0000""#,
            #""\u001f""#, #""\u001F""#, #""\u0041""#, #""\/""#, #""\x""#, "\"\u{1}\"", "\"é\"",
            "\"2024-01-01T00:00:00Z\"",
            "\"AAAA\"", "\"12.50\"", "\"6f2c1ae4-9a53-4b8c-b5a1-0f2a3c4d5e6f\"",
        ]
        let kind = depth > 0 ? random.next() % 5 : 4
        switch kind {
        case 0...2:
            text += "["
            for index in 0..<random.next() % 4 {
                if index > 0 { text += pick([",", ",", ",", ", ", ""]) }
                append(to: &text, depth: depth - 1, &random)
            }
            text += pick(["]", "]", "]", "]", "}", ""])
        case 3:
            text += "{"
            for index in 0..<random.next() % 4 {
                if index > 0 { text += "," }
                text +=
                    pick(["\"a\"", "\"b\"", "\"c\"", "\"é\"", #""\u0061""#, "\"\"", #""\u0000""#])
                    + pick([":", ":", " :"])
                append(to: &text, depth: depth - 1, &random)
            }
            text += "}"
        default: text += pick(scalars)
        }
    }

    @Test func nestingIsBounded() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(sent(nested(60), .codable("Shape")) == nested(60))
        #expect(sent(nested(61), .codable("Shape")) == nil)
        #expect(sent(nested(100_000), .codable("Shape")) == nil)
    }

    @Test(
        arguments: [
            ("12.50", "\"12.5\""), ("12", "\"12\""), ("-0.00", "\"0\""), ("NaN", nil), ("Infinity", nil),
            ("-Infinity", nil),
            ("1e400", "\"1\(String(repeating: "0", count: 400))\""), ("1e4000", nil), ("", nil),
        ] as [(String, String?)])
    func decimalsAreSentInTheirOneForm(text: String, wanted: String?) {
        #expect(sent(decimal: text) == wanted)
    }

    @Test func onlyCasesOfAnEnumerationAreSent() {
        let form = WireForm(.enumeration("Grade", ["low", "é", "low"]))
        for (text, isCase) in [("low", true), ("é", true), ("e\u{301}", false), ("Low", false), ("", false)] {
            var writer = JSONWriter()
            #expect(form.write(case: text.utf8Span.span, to: &writer) == isCase, "\(text)")
            #expect(writer.bytes.isEmpty == !isCase)
        }
    }

    /// Stamps are read from any packed bytes, and each of them is a valid stamp.
    @Test(arguments: [5, UInt64.random(in: 6 ... .max)])
    func anyBytesAreReadAsStamps(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let units = [
            HubEntity.MergeUnit(columns: [0]), HubEntity.MergeUnit(columns: [1, 2, 3], parts: [[1], [2]]),
            HubEntity.MergeUnit(columns: [9]),
        ]
        for _ in 0..<20_000 {
            let count = Int(random.next() % 45)
            let packed = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() % 3 == 0 ? random.next() : 0) }
            let base = Stamp(stored: Int64(bitPattern: random.next()))
            let set = StampSet(base: base, packed: packed.span, units: units)
            let latest = StampSet.latest(base: base, packed: packed.span)
            for stamp in set.stamps + [latest, set.latest] {
                #expect((0..<1 << 53).contains(stamp.rawValue), "seed \(seed): \(packed)")
            }
            #expect(set.stored(units: units).packed.isEmpty == false)
        }
    }

    @Test func timesBeyondAllCountingAreTheFirstAndTheLast() {
        let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
        #expect(first.adding(.seconds(-1)) == first && last.adding(.seconds(Int64.max)) == last)
        #expect(last.since(first) == .microseconds(Int64.max) && first.since(last) == .microseconds(Int64.min))
        #expect(Timestamp(microseconds: 5).since(Timestamp(microseconds: 7)) == .microseconds(-2))
    }
}

/// Values for tests, by type: the ends of the ranges, and values that careless code does not expect.
enum HostileValues {
    static let ints: [Int64] = [
        .min, .min + 1, -9_007_199_254_740_993, -9_007_199_254_740_992, -1, 0, 1, 9_007_199_254_740_991,
        9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max,
    ]

    static let doubles: [Double] = [
        0, 1, -1, 0.1, 0.07, 3.133, 1 / 3, -1e-7, 1e16, 9_007_199_254_740_994, 1e21, .leastNonzeroMagnitude,
        -.leastNonzeroMagnitude,
        .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .pi, 0.1 + 0.2, 1e300,
        123_456_789.123,
    ]

    static let decimals: [DecimalText] = [
        "0", "1", "-1", "0.07", "3.133", "0.1", "0.10000000000000000001", "-0.5", "1e300", "1e-300", "1e-900",
        "9007199254740993", "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890.123456789",
        "0.3333333333333333333333333333333333333333",
    ].compactMap { DecimalText($0) }

    static let words = [
        "", "a", "b", "soup", "Maria", "Maria Silva", "1", "1.5", "200 g", "2 cups", "pending", "0", "-3", "true",
    ]

    static let strings: [String] = [
        " ", "  leading and trailing ", "'; drop table sd_meal; --", "\\", "\\N", "\\.", "\"", "'", "''", "\\u0041",
        "%s",
        "null", "NULL", "{}", "[1,2]", "tab\tnew\nline\r\n", "\u{1}\u{1F}\u{7F}", "é", "e\u{301}", "\u{212B}", "\u{C5}",
        "👩‍👩‍👧‍👦", "🇵🇹", "\u{FEFF}bom", "\u{202E}right to left", "\u{10FFFF}", "\u{FFFD}", "ﷺ", "1,5",
        "١٢٣", "1e3", "0x1F",
        "-0", "NaN", "inf", String(repeating: "long ", count: 60), String(repeating: "é", count: 130),
    ]

    /// The pieces that are joined into random strings.
    static let pieces = [
        "a", "Z", "7", " ", ".", ",", "-", "'", "\"", "\\", "é", "e\u{301}", "🙂", "\n", "1", "0", "kg", "/", ":", "%",
        "\u{200D}",
    ]

    /// Dates at the limits: the first and the last time that both RFC 3339 and PostgreSQL can write, the microseconds
    /// around 1970, and a leap day; also some ordinary dates.
    static let dates: [Timestamp] = [
        -62_135_596_800_000_000, 253_402_300_799_999_999, -1, 0, 1, 951_782_400_000_000, 1_700_000_000_123_456,
        4_102_444_800_000_000,
    ].map(Timestamp.init(microseconds:))

    /// Canonical texts of codable structs: no white space, keys in order.
    static let json = [
        "{}", "{\"a\":1}", "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"z\":\"'\\\\\"}", "[]", "\"text\"", "0", "true",
        "{\"name\":\"é🙂\",\"size\":1.5}",
    ]

    /// A canonical text of an array of up to three elements.
    static func array(of element: AttributeType.Kind, using random: inout SplitMix64) -> String {
        let texts = elements(element)
        return "[" + (0..<random.below(4)).map { _ in texts[random.below(texts.count)] }.joined(separator: ",") + "]"
    }

    private static func elements(_ kind: AttributeType.Kind) -> [String] {
        switch kind {
        case .bool: ["true", "false"]
        case .int: ["0", "-1", "9223372036854775807"]
        case .double: ["0", "0.1", "-2.5", "1e+300"]
        case .decimal: ["\"0.1\"", "\"12345678901234567890.5\""]
        case .string: ["\"\"", "\"a\"", "\"it's\"", "\"é\""]
        case .date: ["\"1970-01-01T00:00:00Z\"", "\"2024-02-29T23:59:59.999999Z\""]
        case .uuid, .reference: ["\"00000000-0000-0000-0000-000000000000\""]
        case .data: ["\"\"", "\"AAEC\""]
        case .enumeration(_, let cases): cases.map { "\"\($0)\"" } + (cases.isEmpty ? ["\"\""] : [])
        case .array: ["[]"]
        case .codable: json
        }
    }
}

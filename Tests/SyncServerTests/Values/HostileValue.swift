import SyncTestSupport
import Testing

/// A value that SQL puts into a column, and what a device of the newest version must receive instead.
struct HostileValue: Sendable, CustomTestStringConvertible {
    let column: String
    /// The attribute of the newest version that it is of.
    var attribute: String { column == "length_v2" ? "length" : column }
    /// An SQL expression of the column's type.
    let sql: String
    let expected: Expected

    /// The value that a device must receive.
    enum Expected: Sendable {
        /// The attribute's default, or null.
        case standard
        case exactly(JSONValue)
        /// Anything that the protocol has.
        case anything
    }

    init(_ column: String, _ sql: String, _ expected: Expected = .standard) {
        (self.column, self.sql, self.expected) = (column, sql, expected)
    }

    var testDescription: String { "\(column): \(sql)" }

    private static func each(_ columns: [String], _ values: [(String, Expected)]) -> [HostileValue] {
        columns.flatMap { column in values.map { HostileValue(column, $0.0, $0.1) } }
    }

    static let numbers: [HostileValue] =
        each(
            ["ratio", "ratio2", "length_v2"],
            [("'NaN'", .standard), ("'Infinity'", .standard), ("'-Infinity'", .standard)])
        + each(
            ["ratio", "ratio2"],
            [("'-0'", .exactly(0)), ("5e-324", .anything), ("1.7976931348623157e308", .anything)])
        + each(
            ["mass", "price", "price2"],
            [
                ("'NaN'", .standard), ("'Infinity'", .standard), ("'-Infinity'", .standard),
                ("repeat('9', 1200)::numeric", .standard), ("('0.' || repeat('3', 1200))::numeric", .standard),
                ("1e131071::numeric", .standard), ("1e-16383::numeric", .standard),
                ("12.5000", .exactly("12.5")), ("0.000", .exactly("0")), ("-100.00", .exactly("-100")),
                ("repeat('9', 1000)::numeric", .exactly(.string(String(repeating: "9", count: 1000)))),
            ])
        + each(
            ["count"], [("-9223372036854775808", .exactly(.int(.min))), ("9223372036854775807", .exactly(.int(.max)))])

    static let dates: [HostileValue] = each(
        ["at", "found"],
        [
            ("'infinity'", .standard), ("'-infinity'", .standard), ("'4713-01-01 00:00:00+00 BC'", .standard),
            ("'294276-12-31 23:59:59+00'", .standard), ("'10000-01-01 00:00:00+00'", .standard),
            ("'0001-12-31 00:00:00+00 BC'", .standard),
            ("'9999-12-31 23:59:59.999999+00'", .exactly("9999-12-31T23:59:59.999999Z")),
            ("'0001-01-01 00:00:00+00'", .exactly("0001-01-01T00:00:00Z")),
        ])

    static let texts: [HostileValue] =
        each(
            ["grade", "grade2"],
            [
                ("'none'", .standard), ("''", .standard), ("'LOW'", .standard), ("'low '", .standard),
                ("'high'", .anything),
            ])
        + each(
            ["name", "text2"],
            [("E'\\x01\\x1F\"\\\\'", .exactly("\u{1}\u{1F}\"\\")), ("repeat('é', 70000)", .anything)])
        + each(["blob"], [("''", .exactly("")), ("'\\x00ff'", .exactly("AP8="))])

    static let nulls: [HostileValue] = each(
        [
            "name", "mass", "length_v2", "grade", "ratio", "flag", "count", "price", "found", "shape", "counts",
            "ratios",
        ],
        [("NULL", .standard)])

    /// JSON that PostgreSQL takes and the protocol does not have in any attribute, or not in these.
    private static let never: [(String, Expected)] = [
        (#"'[1e400]'"#, .standard), (#"'[-1e400]'"#, .standard), (#"'["\ud800"]'"#, .standard),
        (#"'["\udc00\ud800"]'"#, .standard), (#"'["\u0000"]'"#, .standard), (#"'[18446744073709551616]'"#, .standard),
        ("(repeat('[', 100) || repeat(']', 100))::json", .standard),
        ("(repeat('[', 61) || repeat(']', 61))::json", .standard), (#"'null'"#, .standard),
        (#"'[{"a":1,"a":1}]'"#, .standard),
    ]

    static let json: [HostileValue] =
        each(
            ["flags", "counts", "ratios", "texts", "prices", "dates", "tokens", "blobs", "grades", "shape", "shape2"],
            never)
        + each(
            ["flags", "counts", "ratios", "texts", "prices", "dates", "tokens", "blobs", "grades"],
            [
                (#"'{}'"#, .standard), (#"'"x"'"#, .standard), (#"'1'"#, .standard), (#"'[null]'"#, .standard),
                (#"'[[]]'"#, .standard), (#"'[{}]'"#, .standard), (#"' [ ] '"#, .exactly([])),
            ])
        + each(
            ["shape", "shape2"],
            [
                (#"'{"a":1,"a":2}'"#, .standard), (#"'{"a":{"b":1,"\u0062":2}}'"#, .standard),
                (#"'{"\u0000":1}'"#, .standard), (#"'{"a":"\ud800\u0041"}'"#, .standard), (#"'1e999'"#, .standard),
                (#"'{"b":1, "a":[1.50, -0.0, 1E5]}'"#, .exactly(["b": 1, "a": [1.5, 0, 100_000]])),
                (#"'{"\ud83d\ude00":"\u0041\/"}'"#, .exactly(["😀": "A/"])), (#"'[]'"#, .exactly([])),
                (#"'"text"'"#, .exactly("text")), (#"'12345678901234567890'"#, .anything),
                ("(repeat('[', 60) || repeat(']', 60))::json", .anything),
            ])
        + [
            HostileValue("counts", #"'[1.5]'"#), HostileValue("counts", #"'[9223372036854775808]'"#),
            HostileValue("counts", #"'["1"]'"#),
            HostileValue("counts", #"'[-9223372036854775808]'"#, .exactly([.int(.min)])),
            HostileValue("ratios", #"'["1"]'"#), HostileValue("ratios", #"'[1.50, 2]'"#, .exactly([1.5, 2])),
            HostileValue("flags", #"'["true"]'"#), HostileValue("flags", #"'[true,false]'"#, .exactly([true, false])),
            HostileValue("texts", #"'[1]'"#), HostileValue("texts", #"'["\u0041\u001f"]'"#, .exactly(["A\u{1F}"])),
            HostileValue("prices", #"'["NaN"]'"#), HostileValue("prices", #"'[1]'"#),
            HostileValue("prices", "('[\"' || repeat('9', 1200) || '\"]')::json"),
            HostileValue("dates", #"'["infinity"]'"#), HostileValue("dates", #"'["10000-01-01T00:00:00Z"]'"#),
            HostileValue("tokens", #"'["x"]'"#), HostileValue("blobs", #"'["AP8"]'"#),
            HostileValue("grades", #"'["none"]'"#),
            HostileValue("grades", #"'["low","high"]'"#, .exactly(["low", "high"])),
        ]

    /// The columns of sync's own in a record's row.
    static let states: [HostileValue] =
        each(
            ["stamp", "born", "died"],
            ["-1", "0", "9007199254740991", "9007199254740992", "9223372036854775807", "-9223372036854775808"].map {
                ($0, .anything)
            })
        + each(
            ["stamps"],
            [
                "''", "'\\x00'", "'\\xff'", "'\\x05ff'", "'\\x0000'", "'\\x01ff00'",
                "'\\x00ffff7fffffffffffffff'", "'\\x0000008000000000000000'", "('\\x' || repeat('ff', 999))::bytea",
                "NULL",
            ].map { ($0, .anything) })
        + each(["dangling"], [("-1", .anything), ("9223372036854775807", .anything), ("2", .anything)])
        + each(["device"], [("gen_random_uuid()", .anything)])

    static let all = numbers + dates + texts + nulls + json + states
}

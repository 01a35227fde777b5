import SourceFacts
import Testing

@Suite struct ExpressionTests {
    @Test(arguments: [
        (#""a""#, "a"), (#""""#, ""), (#""a\n\t\"\\\u{1F600}""#, "a\n\t\"\\😀"), (##"#"a\n\#n"#"##, "a\\n\n"),
        ("\"\"\"\n    one\n      two \\\n    three\n    \"\"\"", "one\n  two three"),
        ("#\"\"\"\n    a\\b\n    \"\"\"#", "a\\b"),
    ])
    func stringsAreReadWithTheirEscapesResolved(text: String, expected: String) throws {
        #expect(try value(text) == .string(expected))
    }

    @Test(
        arguments: [
            ("1", .integer("1")), ("1_000_000", .integer("1000000")), ("0x1_F", .integer("0x1F")),
            ("0b101", .integer("0b101")), ("-1", .integer("-1")), ("+1", .integer("1")), ("-0o7", .integer("-0o7")),
            ("0.5", .float("0.5")), ("-1_0.5e-3", .float("-10.5e-3")), ("0x1.8p3", .float("0x1.8p3")),
            ("true", .bool(true)), ("false", .bool(false)), ("nil", .null),
        ] as [(String, ExpressionFact)])
    func literalsAreReadAsWritten(text: String, expected: ExpressionFact) throws {
        #expect(try value(text) == expected)
    }

    @Test(
        arguments: [
            ("[]", .array([])), ("[1, \"a\", .b,]", .array([.integer("1"), .string("a"), dot("b")])),
            ("[[1], []]", .array([.array([.integer("1")]), .array([])])), ("[:]", .dictionary([])),
            (
                "[\"a\": [1], .b: nil]",
                .dictionary([
                    .init(key: .string("a"), value: .array([.integer("1")])), .init(key: dot("b"), value: .null),
                ])
            ),
        ] as [(String, ExpressionFact)])
    func collectionsAreReadWithTheirElements(text: String, expected: ExpressionFact) throws {
        #expect(try value(text) == expected)
    }

    @Test(
        arguments: [
            (".now", dot("now")), (".`default`", dot("default")),
            (".Kind.home", .member(base: "Kind", name: "home", isImplicit: true)),
            ("Date.now", .member(base: "Date", name: "now", isImplicit: false)),
            ("A\n  .B /* c */ .c", .member(base: "A.B", name: "c", isImplicit: false)),
            ("name", .member(base: nil, name: "name", isImplicit: false)), ("A.B.self", metatype("A.B")),
            ("[Trip].self", metatype("[Trip]")), ("Trip?.self", metatype("Trip?")),
            ("Set<Trip>.self", metatype("Set<Trip>")),
            ("Pair<A, B>.Left.zero", .member(base: "Pair<A, B>.Left", name: "zero", isImplicit: false)),
            ("self", .member(base: nil, name: "self", isImplicit: false)),
        ] as [(String, ExpressionFact)])
    func membersAreReadWithTheirBase(text: String, expected: ExpressionFact) throws {
        #expect(try value(text) == expected)
    }

    @Test(
        arguments: [
            ("Date()", .call(function: "Date", arguments: [])), (".init()", .call(function: ".init", arguments: [])),
            ("[String]()", .call(function: "[String]", arguments: [])),
            ("[String: Int]()", .call(function: "[String: Int]", arguments: [])),
            ("Set<String>()", .call(function: "Set<String>", arguments: [])),
            (
                "Decimal(string: Text(1).0, -2)",
                .call(
                    function: "Decimal",
                    arguments: [
                        ArgumentFact(label: "string", value: .other("Text(1).0")), ArgumentFact(value: .integer("-2")),
                    ])
            ),
            (
                "A.b(c(d: nil))",
                .call(
                    function: "A.b",
                    arguments: [
                        ArgumentFact(
                            value: .call(function: "c", arguments: [ArgumentFact(label: "d", value: .null)]))
                    ])
            ),
            (
                "make(1) { $0 + 1 } also: { _ in }",
                .call(
                    function: "make",
                    arguments: [
                        ArgumentFact(value: .integer("1")), ArgumentFact(value: .closure("{ $0 + 1 }")),
                        ArgumentFact(label: "also", value: .closure("{ _ in }")),
                    ])
            ),
        ] as [(String, ExpressionFact)])
    func callsAreReadWithTheirArguments(text: String, expected: ExpressionFact) throws {
        #expect(try value(text) == expected)
    }

    @Test(
        arguments: [
            ("\\Day.trip", .keyPath("Day.trip")), ("\\.a.b", .keyPath(".a.b")), ("\\A.b?.c", .keyPath("A.b?.c")),
            ("{ a in\n  b(a)\n}", .closure("{ a in\n  b(a)\n}")), ("(1)", .integer("1")), ("((.a))", dot("a")),
        ] as [(String, ExpressionFact)])
    func keyPathsClosuresAndBracketsAreRead(text: String, expected: ExpressionFact) throws {
        #expect(try value(text) == expected)
    }

    @Test(arguments: [
        #""a\(b)c""#, "1 + 2", "a as Int", "try f()", "a ? 1 : 2", "a!", "(1, 2)", "(a: 1)", "UUID().uuidString",
        "Date().addingTimeInterval(5)", "{ 1 }()", "#line", "-a", "!true", "a(b:)", "if a { 1 } else { 2 }", "/a+/",
        "await f()", "a[1]", "&a", "[1: 2][1]",
    ])
    func whatIsNothingElseIsKeptAsText(text: String) throws {
        #expect(try value(text) == .other(text))
    }
}

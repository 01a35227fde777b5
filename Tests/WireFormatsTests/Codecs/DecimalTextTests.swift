import Testing
import WireFormats

struct DecimalTextTests {
    private func decimal(_ text: String) -> DecimalText? { DecimalText(utf8: text.utf8Span.span) }

    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("+0", "0"), ("-0.000", "0"), ("1", "1"), ("+1", "1"), ("1.10", "1.1"), ("007", "7"),
        ("-00.50", "-0.5"), ("100", "100"), ("1e2", "100"), ("1E+2", "100"), ("1.5e2", "150"), ("1.5e1", "15"),
        ("1.25e1", "12.5"),
        ("125e-2", "1.25"), ("125e-3", "0.125"), ("125e-5", "0.00125"), ("0e999999999999999999999999", "0"),
        ("0.0e-9223372036854775808", "0"), ("1e0", "1"), ("1e-0", "1"), ("1e00000000000000000000000000002", "100"),
        ("0.07", "0.07"),
        ("12345678901234567890.123456789", "12345678901234567890.123456789"), ("1e20", "100000000000000000000"),
        ("100e-2", "1"),
        ("0.001e3", "1"), ("0.0012e3", "1.2"),
    ])
    func numbersAreNormalized(_ text: String, _ expected: String) {
        #expect(decimal(text)?.text == expected)
    }

    @Test(arguments: [
        "", "-", "+", ".", "1.", ".5", "1..2", "1.2.3", "1e", "1e+", "1e-", "e5", "1e5.0", "--1", "+-1", "1-", " 1",
        "1 ", "1,5", "0x10",
        "NaN", "Infinity", "1e9223372036854775807", "1e-9223372036854775808", "1e99999999999999999999",
        "1e-99999999999999999999", "1e1000",
        "1e-1000", "１", "1\0", "-.5", "1_000",
    ])
    func everythingElseIsRefused(_ text: String) { #expect(decimal(text) == nil) }

    @Test func aThousandDigitsAreTheMost() {
        let nines = String(repeating: "9", count: 1000)
        #expect(decimal(nines)?.text == nines)
        #expect(decimal("-" + nines)?.text == "-" + nines)
        #expect(decimal(nines + "9") == nil)
        #expect(decimal("1e999")?.text.utf8.count == 1000)
        #expect(decimal("1e-999")?.text.utf8.count == 1001)
        #expect(decimal(nines + ".5") == nil)
        #expect(decimal(nines + ".0")?.text == nines)
        #expect(decimal("0" + nines)?.text == nines)
    }

    @Test func longRunsOfZerosCostLinearTime() {
        let zeros = String(repeating: "0", count: 1_000_000)
        let taken = ContinuousClock().measure {
            #expect(decimal(zeros)?.text == "0")
            #expect(decimal(zeros + "1." + zeros)?.text == "1")
            #expect(decimal("0." + zeros + "1") == nil)
            #expect(decimal("0." + zeros + "1e1000001")?.text == "1")
            #expect(decimal("1" + zeros + "e-1000000")?.text == "1")
            #expect(decimal("1e" + zeros + "1")?.text == "10")
            #expect(decimal("1e-" + String(repeating: "9", count: 1_000_000)) == nil)
        }
        #expect(taken < .seconds(20))
    }

    /// Compares with a second method: whole numbers of the smallest decimal digit, as integers.
    @Test(arguments: SeededRandom.seeds)
    func anyWritingOfANumberGivesTheSameText(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let units = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
            let places = Int.random(in: 0...8, using: &random)
            var digits = String(units.magnitude)
            digits = String(repeating: "0", count: max(places + 1 - digits.utf8.count, 0)) + digits
            let plain =
                (units < 0 ? "-" : "") + digits.dropLast(places) + (places > 0 ? "." + digits.suffix(places) : "")
            let shift = Int.random(in: -30...30, using: &random)
            let padding = String(repeating: "0", count: Int.random(in: 0...5, using: &random))
            let scientific =
                (units < 0 ? "-" : units > 0 && shift > 0 ? "+" : "") + padding + "\(units.magnitude)"
                + (shift > 0 ? "." + padding + "0" : "") + "e\(-places)"
            let expected = try #require(decimal(plain))
            #expect(decimal(scientific) == expected, "\(scientific) \(plain)")
            #expect(decimal(expected.text) == expected)
            #expect(!expected.text.hasPrefix("-0") || expected.text.hasPrefix("-0."))
            #expect(!expected.text.contains(".") || expected.text.last != "0")
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func doublesGoThroughTheirShortestText(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var values: [Double] = [
            0, 0.1, 0.07, 3.133, -1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16, 123_456_789,
        ]
        for _ in 0..<20_000 { values.append(.randomFinite(using: &random)) }
        for value in values {
            let text = try #require(DecimalText(shortest: value))
            #expect(Double(text) == value)
        }
        #expect(DecimalText(shortest: 0.07)?.text == "0.07")
        #expect(DecimalText(shortest: -0.0)?.text == "0")
        #expect(DecimalText(shortest: 500)?.text == "500")
        #expect(DecimalText(shortest: .nan) == nil)
        #expect(DecimalText(shortest: .infinity) == nil)
    }

    @Test func aDecimalBeyondDoubleIsNone() throws {
        #expect(Double(try #require(decimal("1e400"))) == nil)
        #expect(Double(try #require(decimal("1e-400"))) == 0)
        #expect(Double(try #require(decimal("-1e-400")))?.bitPattern == 0)
    }
}

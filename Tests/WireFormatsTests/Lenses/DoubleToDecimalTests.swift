import Testing
import WireFormats

@Suite struct DoubleToDecimalTests {
    private let conversion = DoubleToDecimal()

    @Test func everyDoubleComesBackAsItWas() {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        var random = SplitMix64(seed: seed)
        var numbers = conversion.examples + conversion.examples.map(\.nextUp) + conversion.examples.map { -$0 }
        numbers += (0..<50_000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
        for number in numbers where number.isFinite {
            #expect(conversion.down(conversion.up(number)) == number + 0, "seed \(seed)")
        }
    }

    @Test("S4_01: every price in cents is exact")
    func everyPriceInCentsIsExact() {
        for cents in 0..<100_000 {
            let (whole, rest) = (cents / 100, cents % 100)
            let text = DecimalText("\(whole).\(rest < 10 ? "0" : "")\(rest)")
            #expect(conversion.up(Double(cents) / 100) == text)
        }
    }

    @Test func whatNoDoubleIsReadsAsTheNearest() throws {
        func down(_ text: String) throws -> Double { conversion.down(try #require(DecimalText(text))) }
        #expect(try down("0.33333333333333333333333333333333333333") == 1 / 3)
        #expect(try down("1e999") == .greatestFiniteMagnitude)
        #expect(try down("-1e999") == -.greatestFiniteMagnitude)
        #expect(try down("-1e-999").sign == .plus)
    }

    /// The wire never carries such numbers, but the function must be total.
    @Test("S4_10: the conversion has an answer for what is not finite")
    func whatIsNotFiniteIsZero() {
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(conversion.up(number) == .zero)
        }
    }
}

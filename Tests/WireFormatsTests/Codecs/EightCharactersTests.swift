import Testing

@testable import WireFormats

struct EightCharactersTests {
    private func word(_ text: [UInt8]) -> UInt64 {
        text.enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
    }

    @Test func readsTheNumbersOfEveryPair() throws {
        let form = EightCharacters("00T00:00")
        for number in 0...99 {
            let digits = number < 10 ? "0\(number)" : "\(number)"
            let pairs = try #require(form.pairs(word(Array("\(digits)T\(digits):\(digits)".utf8))))
            #expect(pairs[0] == number && pairs[3] == number && pairs[6] == number)
        }
    }

    /// Every byte at every index, also bytes with the high bit set.
    @Test func takesNothingButTheForm() {
        let form = EightCharacters("0000-00-")
        let good = Array("2026-11-".utf8)
        for index in good.indices {
            for byte in UInt8.min...UInt8.max {
                var text = good
                text[index] = byte
                let mayBe = index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte)
                #expect((form.pairs(word(text)) != nil) == mayBe, "byte \(byte) at \(index)")
            }
        }
    }
}

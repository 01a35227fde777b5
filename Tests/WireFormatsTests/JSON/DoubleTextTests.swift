import StrictJSON
import Testing
import WireFormats

/// Doubles as text: writer, reader and the standard library agree on every bit.
struct DoubleTextTests {
    private func roundTrip(_ values: [Double]) throws {
        var writer = JSONWriter(capacity: values.count * 24)
        writer.beginArray()
        for value in values { writer.double(value) }
        writer.endArray()
        let nodes = try #require(try JSONDocument(parsing: writer.bytes).root.elements)
        for (node, value) in zip(nodes, values) {
            #expect(node.kind == .double)
            #expect(node.double?.bitPattern == value.bitPattern, "\(value)")
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func randomBitPatternsReadBack(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        try roundTrip((0..<50_000).map { _ in .randomFinite(using: &random) })
    }

    @Test func edgesReadBack() throws {
        var values: [Double] = [
            0, 0.1, 0.3, 1, 500, 1e15, 1e16, 1e17, 1e21, 1e22, 1e23, 9_007_199_254_740_991, 9_007_199_254_740_992,
            .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .pi,
        ]
        for exponent in -1074...1023 {
            let power = Double(sign: .plus, exponent: exponent, significand: 1)
            values += [power, power.nextUp, power.nextDown]
        }
        values = values.filter { $0.isFinite && $0 != 0 }
        try roundTrip(values + values.map { -$0 })
    }

    @Test func everyCentReadsBackAndPrintsAsWritten() throws {
        for cents in 0..<100_000 {
            let text = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
            let exact = try #require(decimal(text))
            let double = try #require(Double(exact))
            #expect(DecimalText(shortest: double) == exact)
        }
    }

    private func decimal(_ text: String) -> DecimalText? { DecimalText(utf8: text.utf8Span.span) }

    @Test func exponentsThatUndoLongRunsOfZerosAreExact() throws {
        for count in [1, 18, 19, 20, 300, 400, 2_000, 100_000] {
            let zeros = String(repeating: "0", count: count)
            #expect(try JSONDocument(parsing: "0.\(zeros)1e\(count + 1)").root.double == 1)
            #expect(try JSONDocument(parsing: "25\(zeros).0e-\(count + 1)").root.double == 2.5)
            #expect(try JSONDocument(parsing: "0.\(zeros)1e-\(count)").root.double == Double("1e-\(2 * count + 1)"))
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func longDigitsAreRoundedAsTheStandardLibraryRounds(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<10_000 {
            let digits = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                "0123456789".randomElement(using: &random)!
            }
            let text = "1\(String(digits)).5e\(Int.random(in: -330...260, using: &random))"
            #expect(try JSONDocument(parsing: text).root.double == Double(text), "\(text)")
        }
    }
}

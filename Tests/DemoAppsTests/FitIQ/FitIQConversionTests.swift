import Testing
import WireFormats

@testable import DemoApps

@Suite struct FitIQConversionTests {
    // MARK: Quantities

    @Test func quantityTextsSplitAsInTheSample() throws {
        struct Row: Decodable {
            let text: String
            let quantity: Double?
            let unit: String?
        }
        let rows = try Fixture.read("fitiq-quantity-texts", as: [Row].self)
        #expect(rows.count == 12)
        for row in rows {
            let (number, unit) = QuantityText().up(row.text)
            #expect(number == row.quantity ?? 0 && unit == row.unit ?? "", "\(row.text)")
        }
    }

    @Test func readableQuantityTextsSplitAsTheTableSays() {
        for (text, number, unit) in QuantityText.readable {
            let found = QuantityText().up(text)
            #expect(found.0 == number && found.1.utf8.elementsEqual(unit.utf8), "\(text.debugDescription)")
        }
    }

    /// Compares with Unicode's own tables; the scanner has copies of them.
    @Test func digitsAndFractionsAreThoseOfUnicode() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            let (number, unit) = QuantityText().up("\(scalar) g")
            switch properties.numericType {
            case .decimal where QuantityScanner.digit(scalar) != nil:
                #expect(number == properties.numericValue && unit == "g", "\(scalar)")
            case .numeric where QuantityScanner.vulgarFractions[scalar] != nil:
                #expect(abs(number - (properties.numericValue ?? -1)) < 1e-6 && unit == "g", "\(scalar)")
            default: #expect(number == 0 && unit.isEmpty, "\(scalar)")
            }
        }
        // Digits of later Unicode releases are not read, on any machine.
        let known = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init).filter { QuantityScanner.digit($0) != nil }
        #expect(known.count == 660 && known.allSatisfy { $0.properties.generalCategory == .decimalNumber })
        #expect(QuantityText().up("⅔ cup") == (2.0 / 3, "cup"))
    }

    @Test func unreadableQuantityTextsAreZeroWithoutUnit() {
        for text in QuantityText.unreadable {
            let (number, unit) = QuantityText().up(text)
            #expect(number == 0 && unit.isEmpty, "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        (500, "mL", "500 mL"), (1.5, "l", "1.5 l"), (2, "", "2"), (0, "", ""), (0, "g", "0 g"),
        (1e21, "g", "1000000000000000000000 g"), (1e-7, "kg", "0.0000001 kg"), (-5, "g", "-5 g"),
        (0.1 + 0.2, "", "0.30000000000000004"), (-0.0, "", ""), (1.125, "cups", "1.1250 cups"), (0.125, "l", "0.125 l"),
        (1234.125, "g", "1234.125 g"),
    ])
    func quantitiesMergeAsTheyWouldBeTyped(number: Double, unit: String, text: String) {
        #expect(QuantityText().down((number, unit)) == text)
    }

    @Test func whatWasMergedIsReadAgain() {
        for (_, number, unit) in QuantityText.readable where !(number == 0 && unit.isEmpty) {
            let found = QuantityText().up(QuantityText().down((number, unit)))
            #expect(found.0 == number)
        }
    }

    @Test(arguments: [
        ("½ cup", 0.5, "cup"), ("1½ cups", 1.5, "cups"), ("1⁄2", 0.5, ""), ("٣ cups", 3, "cups"), ("１２ g", 12, "g"),
        ("1'500 g", 0, ""), ("1_000 g", 0, ""), ("1.500 g", 0, ""), ("1,500 g", 0, ""), ("2x100g", 0, ""),
    ])
    func whatKeyboardsMakeIsReadAndWhatIsUnclearIsNot(text: String, number: Double, unit: String) {
        #expect(QuantityText().up(text) == (number, unit))
    }

    /// Otherwise the result would be the number before the mark.
    @Test func noMarkBetweenTwoNumbersEndsTheFirst() {
        let blocks: [ClosedRange<UInt32>] = [
            0x1...0xFF, 0x2B0...0x36F, 0x2000...0x206F, 0x20A0...0x20CF, 0x2190...0x23FF, 0x2E00...0x2E7F,
            0x3000...0x303F,
            0xFE50...0xFE6F, 0xFF00...0xFFEF,
        ]
        var marks = 0
        for scalar in blocks.joined().compactMap({ Unicode.Scalar($0) }) where FitIQConversionTests.isMark(scalar) {
            marks += 1
            for text in ["1\(scalar)500 g", "1 \(scalar) 2 g", "1\(scalar)½", "1x\(scalar)2"] {
                let (number, unit) = QuantityText().up(text)
                // A fraction, and 1 and a half after white space.
                let isWhole = [1 / 500, 1.5].contains(number)
                #expect(number == 0 && unit.isEmpty || isWhole, "\(text.debugDescription) \(scalar.value)")
            }
        }
        #expect(marks > 500)
    }

    /// True for marks by Unicode's own tables. An opening bracket is not a mark: "2 (100 g)".
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
            .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .spaceSeparator, .lineSeparator,
            .paragraphSeparator, .control, .format, .nonspacingMark:
            true
        default: false
        }
    }

    @Test func noQuantityTextIsTooStrange() {
        let pieces = [
            "0", "1", "9", "99999999999999999", ".", ",", "/", "-", "+", " ", "\t", "\u{A0}", "e", "E", "g", "½",
            "\u{301}", "\r\n", "🍎", "٣", "\\", "nan", "inf",
        ]
        var generator = SplitMix64(seed: 8)
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }.joined()
            let (number, unit) = QuantityText().up(text)
            #expect(number.isFinite && number >= 0, "\(text.debugDescription)")
            #expect(unit.utf8.count <= text.utf8.count)
        }
        for number in [.infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude] as [Double] {
            #expect(QuantityText().down((number, "g")).hasSuffix(" g"))
        }
    }

    // MARK: Moods

    @Test func moodScoresAreTheSamples() throws {
        struct Table: Decodable {
            let scoreToValence: [String: Double]
            let valenceToScore: [String: Int]
        }
        let table = try Fixture.read("fitiq-mood-scores", as: Table.self)
        for (score, valence) in table.scoreToValence {
            let number = try #require(Int(score))
            let found = try #require(MoodScore().down(number))
            #expect(abs(found - valence) < 1e-6, "\(score)")
        }
        for (valence, score) in table.valenceToScore {
            let number = try #require(Double(valence))
            #expect(MoodScore().up(number) == score, "\(valence)")
        }
        #expect(table.scoreToValence.count == 10 && table.valenceToScore.count == 11)
    }

    @Test func everyScoreSurvivesTheWayThereAndBack() {
        for score in 1...10 { #expect(MoodScore().up(MoodScore().down(score)) == score) }
    }

    @Test func unknownValenceHasTheScoreOfANewEntry() {
        #expect(MoodScore().up(nil) == 5)
    }

    @Test func moodsBeyondTheScaleAreAtItsEnds() {
        #expect([2, 1e300, .infinity].map { MoodScore().up($0) } == [10, 10, 10])
        #expect([-2, -1e300, -.infinity].map { MoodScore().up($0) } == [1, 1, 1])
        #expect(MoodScore().up(.nan) == 5)
        #expect([11, .max].map { MoodScore().down($0) } == [1, 1])
        #expect([0, .min].map { MoodScore().down($0) } == [-1, -1])
    }

    // MARK: Calories

    @Test func caloriesAreReadRoundedHalvesAwayFromZero() {
        let read = [206.5, 206.49999999999997, 0.5, -0.5, -0.4, 0, 4503599627370497.5].map {
            FractionalCalories().down($0)
        }
        #expect(read == [207, 206, 1, -1, 0, 0, 4_503_599_627_370_498])
    }

    @Test func caloriesBeyondWhatAnIntHoldsAreTheNearest() {
        #expect([1e300, .infinity, 9.3e18].map { FractionalCalories().down($0) } == [.max, .max, .max])
        #expect([-1e300, -.infinity, -9.3e18].map { FractionalCalories().down($0) } == [.min, .min, .min])
        #expect(FractionalCalories().down(.nan) == 0)
        #expect(FractionalCalories().down(FractionalCalories().up(.max)) == .max)
    }
}

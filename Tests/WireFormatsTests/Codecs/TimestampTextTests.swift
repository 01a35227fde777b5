import Testing
import WireFormats

struct TimestampTextTests {
    private func refusal(_ text: String) -> TimestampError? {
        do throws(TimestampError) {
            _ = try Timestamp(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:00z", 0), ("1970-01-01T01:30:00+01:30", 0),
            ("1969-12-31T22:30:00-01:30", 0),
            ("1970-01-01T00:00:00-00:00", 0), ("1970-01-01T00:00:00.1Z", 100_000), ("1970-01-01T00:00:00.000001Z", 1),
            ("1970-01-01T00:00:00.0000004999999999999999999Z", 0), ("1970-01-01T00:00:00.0000005Z", 1),
            ("1970-01-01T00:00:00.0000014999Z", 1),
            ("1970-01-01T00:00:00.0000015Z", 2), ("1969-12-31T23:59:59.9999995Z", 0),
            ("1969-12-31T23:59:59.9999994Z", -1),
            ("1969-12-31T23:59:59.9999985Z", -1), ("1969-12-31T23:59:59Z", -1_000_000),
            ("2000-02-29T12:00:00Z", 951_825_600_000_000),
            ("1999-12-31T23:59:59.9999996Z", 946_684_800_000_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
            ("2016-12-31T23:59:60.5Z", 1_483_228_800_500_000), ("2017-01-01T00:59:60+01:00", 1_483_228_800_000_000),
            ("2016-12-31T15:59:60-08:00", 1_483_228_800_000_000), ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
            ("0000-12-31T23:59:59.9999995Z", -62_135_596_800_000_000),
            ("0000-12-31T23:00:00-01:00", -62_135_596_800_000_000),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
            ("9999-12-31T23:59:59.999999400000000000000000000000Z", 253_402_300_799_999_999),
            ("2024-05-01T10:20:30.123456789012345678901234567890+23:59", 1_714_472_490_123_457),
        ] as [(String, Int64)])
    func wellFormedTextsAreRead(_ text: String, _ microseconds: Int64) throws {
        #expect(try Timestamp(text).microseconds == microseconds)
    }

    @Test(arguments: [
        "", "1970", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-01-01T00:00Z",
        "1970-1-1T00:00:00Z",
        "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00,5Z", "1970-01-01T00:00:00+0100", "1970-01-01T00:00:00+01",
        "1970-01-01T00:00:00Zx",
        "1970-01-01T00:00:00 Z", "+1970-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "19700101T000000Z",
        "1970/01/01T00:00:00Z",
        "1970-01-01T00:00:00.5", "1970-01-01T00:00:00±1:00", "1970-01-01T00:00:00+01:00:00", "12345-01-01T00:00:00Z",
        "1970-01-01T00:00:00.5.5Z", "１970-01-01T00:00:00Z", "1970-W01-1T00:00:00Z", "1970-01-01T0 :00:00Z",
        "1970-01-01T00:00:00+0a:00",
    ])
    func otherFormsAreMalformed(_ text: String) { #expect(refusal(text) == .malformed) }

    @Test(arguments: [
        "1970-00-01T00:00:00Z", "1970-13-01T00:00:00Z", "1970-01-00T00:00:00Z", "1970-01-32T00:00:00Z",
        "1970-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "1970-04-31T00:00:00Z",
        "1970-01-01T24:00:00Z",
        "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z", "1970-01-01T00:00:60Z", "1970-01-01T12:59:60Z",
        "2016-12-31T23:59:60+01:00",
        "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00-00:60", "2016-12-31T22:59:60Z",
    ])
    func daysAndTimesThatDoNotExistAreRefused(_ text: String) { #expect(refusal(text) == .noSuchTime) }

    @Test(arguments: [
        "0000-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59.9999995Z",
        "9999-12-31T23:59:00-00:01",
        "9999-12-31T23:59:60Z",
    ])
    func instantsOutsideTheYears1To9999AreRefused(_ text: String) { #expect(refusal(text) == .outOfRange) }

    @Test func fractionsHaveAtMostThirtyDigits() throws {
        let text = "1970-01-01T00:00:00."
        #expect(try Timestamp(text + String(repeating: "0", count: 30) + "Z").microseconds == 0)
        #expect(refusal(text + String(repeating: "0", count: 31) + "Z") == .fractionTooLong)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.000001Z"), (1_000, "1970-01-01T00:00:00.001Z"),
            (120_000, "1970-01-01T00:00:00.120Z"), (120_001, "1970-01-01T00:00:00.120001Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00Z"), (-62_135_596_800_000_001, "0000-12-31T23:59:59.999999Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (253_402_300_800_000_000, "+10000-01-01T00:00:00Z"),
            (.max, "+294247-01-10T04:00:54.775807Z"), (.min, "-290308-12-21T19:59:05.224192Z"),
        ] as [(Int64, String)])
    func eachTimestampHasOneText(_ microseconds: Int64, _ text: String) {
        #expect(Timestamp(microseconds: microseconds).description == text)
    }

    @Test(arguments: SeededRandom.seeds)
    func textsReadBackWithAnyOffset(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let lowest = Timestamp.wireRange.lowerBound.microseconds
        let highest = Timestamp.wireRange.upperBound.microseconds
        let day: Int64 = 86_400_000_000
        for _ in 0..<20_000 {
            let unit: Int64 = [1, 1000, 1_000_000].randomElement(using: &random)!
            let timestamp = Timestamp(
                microseconds: Int64.random(in: (lowest + day)...(highest - day), using: &random) / unit * unit)
            #expect(try Timestamp(timestamp.description) == timestamp)
            let minutes = Int64.random(in: -1439...1439, using: &random)
            let local = Timestamp(microseconds: timestamp.microseconds + minutes * 60_000_000).description.dropLast()
            let (hour, minute) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
            let offset = "\(minutes < 0 ? "-" : "+")\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
            #expect(try Timestamp(local + offset) == timestamp, "\(local)\(offset)")
        }
    }
}

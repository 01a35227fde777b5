import Testing

@testable import WireFormats

struct CivilDateTests {
    /// Counts day by day, as on a wall calendar.
    @Test func everyDayFrom1600To2400IsCountedAsACalendarCounts() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        // 1600 to 1969 are 370 years with 90 leap days: 1600, …, 1968 without 1700, 1800 and 1900.
        var count = -(370 * 365 + 90)
        for year in 1600...2400 {
            for month in 1...12 {
                let leaps = month == 2 && (year % 4 == 0) && (year % 100 != 0 || year % 400 == 0)
                for day in 1...(lengths[month - 1] + (leaps ? 1 : 0)) {
                    let date = CivilDate(year: year, month: month, day: day)
                    if date.daysSinceEpoch != count || CivilDate(daysSinceEpoch: count) != date {
                        Issue.record("\(date) is day \(count), not \(date.daysSinceEpoch)")
                    }
                    count += 1
                }
            }
        }
        #expect(CivilDate(year: 1970, month: 1, day: 1).daysSinceEpoch == 0)
    }

    @Test(arguments: SeededRandom.seeds)
    func daysFarAwayReadBack(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100_000 {
            let days = Int.random(in: -200_000_000...200_000_000, using: &random)
            let date = CivilDate(daysSinceEpoch: days)
            #expect(date.daysSinceEpoch == days)
            #expect((1...12).contains(date.month))
            #expect((1...CivilDate.days(inMonth: date.month, of: date.year)).contains(date.day))
        }
    }
}

/// A day of the proleptic Gregorian calendar, computed by integer arithmetic alone.
struct CivilDate: Hashable {
    var year: Int
    /// The month, from 1 to 12.
    var month: Int
    /// The day, from 1 to the length of the month.
    var day: Int

    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static let daysPer400Years = 146_097
    /// The day 0001-01-01, in days from 1970-01-01.
    private static let dayOne = -719_162
    /// The day 0000-03-01, in days from 1970-01-01.
    private static let marchOfYearZero = -719_468

    /// The days since 1970-01-01, negative before.
    var daysSinceEpoch: Int {
        // Years that begin in March end with the leap day, and their months have 153 days in each five.
        let isLate = month > 2
        let years = isLate ? year : year - 1
        let months = isLate ? month - 3 : month + 9
        // Whole 400-year cycles go first, so that what remains is not negative and divides as on paper.
        let cycle = CivilDate.flooredQuotient(years, 400)
        let past = years - cycle * 400
        let days = past * 365 + past / 4 - past / 100 + (153 * months + 2) / 5 + day - 1
        return days + cycle * CivilDate.daysPer400Years + CivilDate.marchOfYearZero
    }

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSinceEpoch: Int) {
        // Years that begin in March end with the leap day, so that each month begins on the same day of every such
        // year.
        let days = daysSinceEpoch - CivilDate.dayOne + CivilDate.daysFromMarch
        let cycle = CivilDate.flooredQuotient(days, CivilDate.daysPer400Years)
        var rest = days - cycle * CivilDate.daysPer400Years
        // Centuries of a cycle have 36,524 days and the last one more; four years have 1,461; the last year of four has
        // 366.
        let centuries = min(rest / 36_524, 3)
        rest -= centuries * 36_524
        let fours = rest / 1_461
        rest -= fours * 1_461
        let ones = min(rest / 365, 3)
        rest -= ones * 365
        // Five months from March on have 153 days, 31 and 30 by turns, and the next five too.
        let monthFromMarch = (rest * 5 + 2) / 153
        day = rest - (monthFromMarch * 153 + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = cycle * 400 + centuries * 100 + fours * 4 + ones + (monthFromMarch < 10 ? 0 : 1)
    }

    /// The days from 0000-03-01 to 0001-01-01.
    private static let daysFromMarch = 306

    /// `a / b` rounded down, for a positive `b`.
    static func flooredQuotient(_ a: Int, _ b: Int) -> Int {
        a / b - (a % b < 0 ? 1 : 0)
    }
}

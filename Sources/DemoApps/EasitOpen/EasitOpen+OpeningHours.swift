public import WireFormats

extension EasitOpen {
    /// Returns the ids for a business's opening hours: one for each period, in the order in which the app lists them.
    ///
    /// A period is identified by its business, its weekday and its index among the periods of that day, because a
    /// bakery that closes over lunch has two on a Monday. So the same list has the same ids on every device: sending it
    /// twice changes nothing, and new hours overwrite old ones. A list that became shorter leaves records whose ids are
    /// no longer in it; delete those.
    public static func openingHours(of business: ID, onWeekdays weekdays: [Int]) -> [ID] {
        var periods: [Int: Int] = [:]
        return weekdays.map { weekday in
            let index = periods[weekday, default: 0]
            periods[weekday] = index + 1
            return business.derived(for: "openingHours/\(weekday)/\(index)")
        }
    }
}

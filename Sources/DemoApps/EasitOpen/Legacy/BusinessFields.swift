import WireFormats

/// The fields of a business and its opening hours. Every form in which a business is written in a file is converted to
/// them.
///
/// The hours are imported only together with their business, because their ids depend on their positions in its list.
struct BusinessFields {
    /// The version of the app in whose form the row is written.
    let version: Schema.Version
    let id: ID
    let fields: [(name: String, value: Value)]
    let hours: [Period]

    /// A period of opening hours on a weekday, from 1 (Sunday) to 7. Its times are in minutes since midnight. If the
    /// business closes after midnight, the closing time is less than the opening time.
    struct Period {
        let weekday: Int64
        let openTime: Int64
        let closeTime: Int64
        var isClosed = false
    }

    static let weekdays: ClosedRange<Int64> = 1...7
    /// The valid times of a day in minutes. The last one is the midnight at which the day ends.
    static let minutes: ClosedRange<Int64> = 0...1440

    var records: [LegacyRecord] {
        let ids = EasitOpen.openingHours(of: id, onWeekdays: hours.map { Int($0.weekday) })
        return [LegacyRecord(entity: "Business", version: version, id: id, fields: fields)]
            + zip(ids, hours).map { id, period in
                LegacyRecord(
                    entity: "DaySchedule", version: version, id: id,
                    fields: [
                        ("weekday", .int(period.weekday)), ("openTime", .int(period.openTime)),
                        ("closeTime", .int(period.closeTime)), ("isClosed", .bool(period.isClosed)),
                        ("business", .uuid(self.id)),
                    ])
            }
    }
}

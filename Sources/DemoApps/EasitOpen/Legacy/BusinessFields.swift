import WireFormats

/// The fields of a business and its opening hours, to which every form of a business in a file is converted.
///
/// The hours are imported only together with their business, because their ids follow from their indices in a list.
struct BusinessFields {
    /// The version of the app to whose shape the row belongs.
    let version: Schema.Version
    let id: ID
    let fields: [(name: String, value: Value)]
    let hours: [Period]

    /// A period of opening hours on a weekday from 1 (Sunday) to 7, in minutes since midnight. The closing time is the
    /// smaller number if the business closes after midnight.
    struct Period {
        let weekday: Int64
        let openTime: Int64
        let closeTime: Int64
        var isClosed = false
    }

    static let weekdays: ClosedRange<Int64> = 1...7
    /// The valid minutes of a day, up to the midnight that ends it.
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

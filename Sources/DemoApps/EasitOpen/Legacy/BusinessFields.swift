import WireFormats

/// What every form of a business comes to: itself and its opening hours.
///
/// The hours go in or stay out with their business, as a list: their ids are their places in it.
struct BusinessFields {
    /// The one whose shape the row has.
    let version: Schema.Version
    let id: ID
    let fields: [(name: String, value: Value)]
    let hours: [Period]

    /// Minutes since midnight, on a weekday from 1, Sunday, to 7. Closing may be the smaller number: after midnight.
    struct Period {
        let weekday: Int64
        let openTime: Int64
        let closeTime: Int64
        var isClosed = false
    }

    static let weekdays: ClosedRange<Int64> = 1...7
    /// To the midnight that ends a day.
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

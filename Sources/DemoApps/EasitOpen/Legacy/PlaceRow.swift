import WireFormats

/// A place as the app's data provider returns it from a search. It is converted to a business in the same way as in the
/// app.
///
/// Weekdays are counted from 0 (Sunday). Each period becomes one record of opening hours. A period that ends after
/// midnight belongs to the day on which it began. A period without an end is left out, as in the app.
struct PlaceRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool { row.has("displayName") || row.has("currentOpeningHours") }

    init(_ row: LegacyRow) throws(LegacyFault) {
        let place = try row.required("id", LegacyRow.text)
        let name = try PlaceRow.child(row, "displayName").required("text", LegacyRow.text)
        let location = try PlaceRow.child(row, "location")
        // The answer does not have the time at which the user added the place, and each import must give the same time.
        let added = Timestamp(microseconds: LegacyRow.referenceDate)
        var fields: [(name: String, value: Value)] = [
            ("googlePlaceId", .string(place)), ("name", .string(name)),
            ("address", .string(try row.text("formattedAddress") ?? "")),
            ("latitude", .double(try location.required("latitude", LegacyRow.number))),
            ("longitude", .double(try location.required("longitude", LegacyRow.number))), ("dateAdded", .date(added)),
            ("lastUpdated", .date(added)),
        ]
        for (name, key) in [("phoneNumber", "internationalPhoneNumber"), ("website", "websiteUri")] {
            fields.append((name, try row.text(key).map(Value.string) ?? .null))
        }
        var hours: [BusinessFields.Period] = []
        for period in try row.child("currentOpeningHours")?.children("periods") ?? [] where period.has("close") {
            hours.append(try PlaceRow.period(period))
        }
        records =
            BusinessFields(
                version: EasitOpen.SchemaV100.versionIdentifier, id: EasitOpen.namespace.derived(for: "place/\(place)"),
                fields: fields, hours: hours
            ).records
    }

    private static func period(_ row: LegacyRow) throws(LegacyFault) -> BusinessFields.Period {
        func number(_ moment: LegacyRow, _ key: String, to last: Int64) throws(LegacyFault) -> Int64 {
            guard let number = try moment.int(key, in: 0...last) else { throw LegacyFault("‘\(key)’ is missing.") }
            return number
        }
        let (open, close) = (try child(row, "open"), try child(row, "close"))
        return BusinessFields.Period(
            weekday: try number(open, "day", to: 6) + 1,
            openTime: try number(open, "hour", to: 23) * 60 + number(open, "minute", to: 59),
            closeTime: try number(close, "hour", to: 24) * 60 + number(close, "minute", to: 59))
    }

    private static func child(_ row: LegacyRow, _ key: String) throws(LegacyFault) -> LegacyRow {
        guard let child = row.child(key) else { throw LegacyFault("‘\(key)’ is missing.") }
        return child
    }
}

import WireFormats

/// A business as a build of the app held it; which one shows in its keys.
struct BusinessRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool { row.has("dateAdded") || row.has("openingHours") }

    init(_ row: LegacyRow) throws(LegacyFault) {
        let version = BusinessRow.version(row)
        let added = try row.required("dateAdded", LegacyRow.date)
        var fields: [(name: String, value: Value)] = [("dateAdded", .date(added))]
        for name in ["name", "address"] { fields.append((name, .string(try row.required(name, LegacyRow.text)))) }
        for name in ["latitude", "longitude"] {
            fields.append((name, .double(try row.required(name, LegacyRow.number))))
        }
        for name in ["phoneNumber", "phone", "website", "customLabel", "googlePlaceId"] {
            if let text = try row.text(name) { fields.append((name, .string(text))) }
        }
        let updated = try row.date("lastUpdated")
        if let updated { fields.append(("lastUpdated", .date(updated))) }
        if let checked = try row.date("lastChecked") { fields.append(("lastChecked", .date(checked))) }
        if let isFavorite = try row.bool("isFavorite") { fields.append(("isFavorite", .bool(isFavorite))) }
        if let preferences = try row.json("preferences") { fields.append(("preferences", .json(preferences))) }
        records =
            BusinessFields(
                version: version, id: try row.id(), moment: updated ?? added, fields: fields,
                hours: try BusinessRow.hours(row)
            ).records
    }

    private static func version(_ row: LegacyRow) -> Schema.Version {
        if ["phone", "isFavorite", "preferences"].contains(where: row.has) {
            return EasitOpen.SchemaV200.versionIdentifier
        }
        if ["googlePlaceId", "lastUpdated", "lastChecked"].contains(where: row.has) {
            return EasitOpen.SchemaV100.versionIdentifier
        }
        return row.has("customLabel") ? EasitOpen.SchemaU2.versionIdentifier : EasitOpen.SchemaU1.versionIdentifier
    }

    private static func hours(_ row: LegacyRow) throws(LegacyFault) -> [BusinessFields.Period] {
        var hours: [BusinessFields.Period] = []
        for (index, period) in (try row.children("openingHours") ?? []).enumerated() {
            do throws(LegacyFault) {
                hours.append(try self.period(period))
            } catch {
                throw LegacyFault("Opening hours \(index + 1): \(error.description)")
            }
        }
        return hours
    }

    private static func period(_ row: LegacyRow) throws(LegacyFault) -> BusinessFields.Period {
        func number(_ key: String, _ range: ClosedRange<Int64>) throws(LegacyFault) -> Int64 {
            guard let number = try row.int(key, in: range) else { throw LegacyFault("‘\(key)’ is missing.") }
            return number
        }
        return BusinessFields.Period(
            weekday: try number("weekday", BusinessFields.weekdays),
            openTime: try number("openTime", BusinessFields.minutes),
            closeTime: try number("closeTime", BusinessFields.minutes),
            isClosed: try row.required("isClosed", LegacyRow.bool))
    }
}

import WireFormats

/// A business in the form in which a build of the app stored it. The keys of the row show which build it was.
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
        for (name, versions) in BusinessRow.optionals where versions.contains(version) {
            fields.append((name, try BusinessRow.optional(name, row)))
        }
        if let updated = try row.date("lastUpdated") { fields.append(("lastUpdated", .date(updated))) }
        if let isFavorite = try row.bool("isFavorite") { fields.append(("isFavorite", .bool(isFavorite))) }
        records =
            BusinessFields(
                version: version, id: try row.id(), fields: fields, hours: try BusinessRow.hours(row)
            ).records
    }

    private static let (first, labelled, placed, planned) = (
        EasitOpen.SchemaU1.versionIdentifier, EasitOpen.SchemaU2.versionIdentifier,
        EasitOpen.SchemaV100.versionIdentifier, EasitOpen.SchemaV200.versionIdentifier
    )

    /// The attributes that a row may omit, each with the versions that have it. In those versions, an omitted attribute
    /// becomes null.
    private static let optionals = [
        ("phoneNumber", first..<planned), ("phone", planned..<later), ("website", first..<later),
        ("customLabel", labelled..<later), ("googlePlaceId", placed..<later), ("lastChecked", placed..<later),
        ("preferences", planned..<later),
    ]
    private static let later = Schema.Version(planned.major + 1, 0, 0)

    private static func optional(_ name: String, _ row: LegacyRow) throws(LegacyFault) -> Value {
        switch name {
        case "lastChecked": return try row.date(name).map(Value.date) ?? .null
        case "preferences": return try row.json(name).map(Value.json) ?? .null
        case "phone":
            let former = try row.text("phoneNumber")
            return try (row.text(name) ?? former).map(Value.string) ?? .null
        default: return try row.text(name).map(Value.string) ?? .null
        }
    }

    private static func version(_ row: LegacyRow) -> Schema.Version {
        if ["phone", "isFavorite", "preferences"].contains(where: row.names) { return planned }
        if ["googlePlaceId", "lastUpdated", "lastChecked"].contains(where: row.names) { return placed }
        return row.names("customLabel") ? labelled : first
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

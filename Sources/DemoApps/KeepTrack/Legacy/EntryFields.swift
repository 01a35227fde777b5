import WireFormats

/// The fields of an entry. Every form in which an entry is written in a file is converted to them.
struct EntryFields {
    let id: ID
    let date: Timestamp
    var units = ""
    var amount = 0.0
    let name: String
    let goalMet: Bool

    var record: LegacyRecord {
        LegacyRecord(
            entity: "SDEntryV0", version: KeepTrack.SchemaV0.versionIdentifier, id: id,
            fields: [
                ("date", .date(date)), ("units", .string(units)), ("amount", .double(amount)), ("name", .string(name)),
                ("goalMet", .bool(goalMet)),
            ])
    }
}

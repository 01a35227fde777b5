import WireFormats

/// A kind of intake (a medicine or a drink) in a file or a backup, as written from April 2025 on.
struct IntakeTypeRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool { row.has("descrip") }

    init(_ row: LegacyRow) throws(LegacyFault) {
        let frequency = try row.required("frequency", LegacyRow.text)
        records = [
            LegacyRecord(
                entity: "SDIntakeTypeV0", version: KeepTrack.SchemaV0.versionIdentifier, id: try row.id(),
                fields: [
                    ("name", .string(try row.required("name", LegacyRow.text))),
                    ("unit", .string(KeepTrackWords.unit(try row.required("unit", LegacyRow.text)))),
                    ("amount", .double(try row.required("amount", LegacyRow.number))),
                    ("descrip", .string(try row.required("descrip", LegacyRow.text))),
                    ("frequency", .string(KeepTrackWords.frequency(frequency))),
                ])
        ]
    }
}

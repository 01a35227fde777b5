import WireFormats

/// An entry of any kind in a file or a backup, as written from April 2025 on. Its `units` are a text.
struct EntryRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool { row.has("amount") && !row.has("frequency") }

    init(_ row: LegacyRow) throws(LegacyFault) {
        records = [
            EntryFields(
                id: try row.id(), date: try row.required("date", LegacyRow.date),
                units: KeepTrackWords.unit(try row.required("units", LegacyRow.text)),
                amount: try row.required("amount", LegacyRow.number), name: try row.required("name", LegacyRow.text),
                goalMet: try row.required("goalMet", LegacyRow.bool)
            ).record
        ]
    }
}

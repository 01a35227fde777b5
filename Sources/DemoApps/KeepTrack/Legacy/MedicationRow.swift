import WireFormats

/// An intake of a medicine, as written until April 2025. It has no amount, and the first ones do not even have a name.
struct MedicationRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool {
        row.has("date") && !row.has("units") && !row.has("amount")
    }

    init(_ row: LegacyRow) throws(LegacyFault) {
        records = [
            EntryFields(
                id: try row.id(), date: try row.required("date", LegacyRow.date), name: try row.text("name") ?? "",
                goalMet: try row.bool("goalMet") ?? false
            ).record
        ]
    }
}

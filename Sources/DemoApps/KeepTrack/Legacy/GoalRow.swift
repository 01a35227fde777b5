import WireFormats

/// A goal of any kind in a file or a backup, as written from April 2025 on. The first ones have no units.
struct GoalRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool { row.has("dates") }

    init(_ row: LegacyRow) throws(LegacyFault) {
        records = [
            GoalFields(
                id: try row.id(), name: try row.required("name", LegacyRow.text),
                text: try row.required("description", LegacyRow.text),
                dates: try row.required("dates", LegacyRow.dates),
                isActive: try row.required("isActive", LegacyRow.bool),
                isCompleted: try row.required("isCompleted", LegacyRow.bool),
                dosage: try row.required("dosage", LegacyRow.number), units: try row.text("units") ?? "",
                frequency: try row.required("frequency", LegacyRow.text)
            ).record
        ]
    }
}

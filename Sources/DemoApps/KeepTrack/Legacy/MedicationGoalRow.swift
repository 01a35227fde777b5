import WireFormats

/// A goal for a medicine, as written until April 2025, with up to three times of day.
struct MedicationGoalRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool { row.has("time") && row.has("dosage") }

    init(_ row: LegacyRow) throws(LegacyFault) {
        var dates = [try row.required("time", LegacyRow.date)]
        if let second = try row.date("secondStartDate") { dates.append(second) }
        if let third = try row.date("thirdStartDate") { dates.append(third) }
        records = [
            GoalFields(
                id: try row.id(), name: try row.required("name", LegacyRow.text), dates: dates,
                isActive: try row.bool("isActive") ?? true, isCompleted: try row.bool("isCompleted") ?? false,
                dosage: try row.required("dosage", LegacyRow.number),
                frequency: try row.required("frequency", LegacyRow.text)
            ).record
        ]
    }
}

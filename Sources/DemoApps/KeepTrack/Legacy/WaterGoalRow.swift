import WireFormats

/// A goal for water, as the app wrote it until April 2025. The oldest ones have the misspelt key `isAcdtive` instead of
/// `isActive`.
struct WaterGoalRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool { row.has("description") && row.has("endDate") }

    init(_ row: LegacyRow) throws(LegacyFault) {
        let isActive = try row.bool("isActive")
        let misspelt = try row.bool("isAcdtive")
        records = [
            GoalFields(
                id: try row.id(), name: try row.required("name", LegacyRow.text),
                text: try row.required("description", LegacyRow.text),
                dates: [try row.required("startDate", LegacyRow.date), try row.required("endDate", LegacyRow.date)],
                isActive: isActive ?? misspelt ?? true, isCompleted: try row.bool("isCompleted") ?? false
            ).record
        ]
    }
}

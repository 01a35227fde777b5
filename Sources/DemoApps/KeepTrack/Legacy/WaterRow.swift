import WireFormats

/// An intake of water, as the app wrote it until April 2025. `units` is a number whose unit of measurement is not
/// stated. The oldest ones have no `id`, `amount` or `name`.
struct WaterRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool { row.has("date") && row.hasNumber("units") }

    init(_ row: LegacyRow) throws(LegacyFault) {
        let count = try row.required("units", LegacyRow.number)
        records = [
            EntryFields(
                id: try row.id(), date: try row.required("date", LegacyRow.date),
                amount: try row.number("amount") ?? count, name: try row.text("name") ?? "Water",
                goalMet: try row.bool("goalMet") ?? false
            ).record
        ]
    }
}

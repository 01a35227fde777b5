import WireFormats

/// An intake of water, as written until April 2025. Its `units` are a number; the unit is not stated. The first ones
/// have neither id nor amount nor name.
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

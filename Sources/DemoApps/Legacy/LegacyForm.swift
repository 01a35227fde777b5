import WireFormats

/// One form that rows of a file had for a time.
protocol LegacyForm: Sendable {
    /// Whether a row is of this form, by its keys.
    static func recognises(_ row: LegacyRow) -> Bool

    /// - Throws: what is missing or of another type.
    init(_ row: LegacyRow) throws(LegacyFault)

    /// The record that the row is, and those that belong to it.
    var records: [LegacyRecord] { get }
}

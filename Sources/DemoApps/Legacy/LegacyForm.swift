import WireFormats

/// A form in which an app wrote rows of its files during some time.
protocol LegacyForm: Sendable {
    /// Returns true if a row has this form. Only the row's keys and the kinds of their values are examined.
    static func recognises(_ row: LegacyRow) -> Bool

    /// Reads a row that has this form.
    ///
    /// - Throws: `LegacyFault` if a value is missing or has another type.
    init(_ row: LegacyRow) throws(LegacyFault)

    /// The records that are made from the row: its own record, and those that belong to it.
    var records: [LegacyRecord] { get }
}

import WireFormats

/// A format of the rows in an app's files. An app changed its formats over time, so it may have several.
protocol LegacyForm: Sendable {
    /// Returns true if a row has this form. Only the row's keys and the kinds of their values are examined.
    static func recognises(_ row: LegacyRow) -> Bool

    /// Reads a row that has this form.
    ///
    /// - Throws: `LegacyFault` if a value is missing or has another type.
    init(_ row: LegacyRow) throws(LegacyFault)

    /// The records that are made from the row. They are the record that the row describes, and its child records.
    var records: [LegacyRecord] { get }
}

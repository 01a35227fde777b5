import WireFormats

/// A form that rows in an app's files had during some time.
protocol LegacyForm: Sendable {
    /// True if a row has this form, judged by its keys.
    static func recognises(_ row: LegacyRow) -> Bool

    /// Reads a row.
    ///
    /// - Throws: `LegacyFault` for a missing value or one of another type.
    init(_ row: LegacyRow) throws(LegacyFault)

    /// The row's record, and the records that belong to it.
    var records: [LegacyRecord] { get }
}

import WireFormats

extension LegacyRecord {
    /// A stamp older than any edit that a device ever stamped, so that every edit and every deletion since overrules
    /// the row, however often it is imported.
    ///
    /// The seconds since 2001 are taken for milliseconds since 1970: all are in January 1970, and of two rows with one
    /// id the later wins.
    ///
    /// - Parameter generation: which of two rows of the same moment is the later.
    static func stamp(at moment: Timestamp?, generation: Int64 = 0) -> Stamp {
        let seconds = moment.map { ($0.microseconds - LegacyRow.referenceDate) / 1_000_000 } ?? 0
        return Stamp(milliseconds: max(1, min(seconds, lastSecond)), counter: generation)
    }

    /// A row from the far future is no later than this.
    private static let lastSecond: Int64 = 2_000_000_000
}

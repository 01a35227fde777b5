/// A plan of an app that wrote files by itself, before its models had versions, as a backup or for another program:
/// `syncserver import` reads them.
public protocol LegacyImporting: SchemaMigrationPlan {
    /// Reads one such file, whichever kind of them it is.
    ///
    /// All rows of a file are edits of one time, which the content states or the importing command knows: so a later
    /// file stands against an earlier one in all that it says.
    ///
    /// - Parameter bytes: without a byte order mark.
    /// - Throws: where it is none. A row that cannot be read is told of in the content.
    static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent
}

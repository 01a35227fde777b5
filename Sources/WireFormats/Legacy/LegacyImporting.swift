/// A plan of an app that wrote files by itself, before its models had versions, as a backup or for another program.
/// `syncserver import` reads these files.
public protocol LegacyImporting: SchemaMigrationPlan {
    /// Reads one such file, of any of the app's kinds.
    ///
    /// All rows of a file are edits of one time, which the content states or the importing command knows. So a later
    /// file wins over an earlier one in every value that it has.
    ///
    /// - Parameter bytes: the file's bytes without a byte order mark.
    /// - Throws: `LegacyFault` if the bytes are not such a file. A row that cannot be read is reported in the content.
    static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent
}

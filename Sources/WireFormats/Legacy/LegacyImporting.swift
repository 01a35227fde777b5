/// A migration plan of an app that wrote files itself, before its models had versions: as a backup or for another
/// program. `syncserver import` imports these files.
public protocol LegacyImporting: SchemaMigrationPlan {
    /// Reads one file that the app wrote, whichever of the app's formats it has.
    ///
    /// All rows of a file count as edits made at one time. The file's content states this time, or else the import
    /// command gives it. If two files contain the same value, the later file wins.
    ///
    /// - Parameter bytes: the file's bytes without a byte order mark.
    /// - Throws: `LegacyFault` if the bytes are not such a file. A row that cannot be read is reported in the content.
    static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent
}

/// A plan of an app that wrote files by itself, before its models had versions, as a backup or for another program:
/// `syncserver import` reads them.
public protocol LegacyImporting: SchemaMigrationPlan {
    /// Reads one such file, whichever kind of them it is.
    ///
    /// - Throws: where it is none. A row that cannot be read is told of in the content.
    static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent
}

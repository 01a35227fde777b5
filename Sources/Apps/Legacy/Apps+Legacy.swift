extension Apps {
    /// Reads a file that the app wrote before its models had versions.
    ///
    /// - Throws: `LegacyFault`, where it is none. A row that cannot be read is told of in the content.
    public static func legacyContent(of app: String, _ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        switch app {
        case KeepTrackPlan.app: try KeepTrack.legacyContent(bytes)
        default: throw LegacyFault("No older files of \(app) can be read.")
        }
    }
}

extension Apps {
    /// Reads a file that the app wrote by itself: before its models had versions, as a backup, for another program.
    ///
    /// - Throws: `LegacyFault`, where it is none. A row that cannot be read is told of in the content.
    public static func legacyContent(of app: String, _ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        switch app {
        case KeepTrackPlan.app: try KeepTrack.legacyContent(bytes)
        case AllesTeurerPlan.app: try AllesTeurer.legacyContent(bytes)
        case EasitOpenPlan.app: try EasitOpen.legacyContent(bytes)
        default: throw LegacyFault("No older files of \(app) can be read.")
        }
    }
}

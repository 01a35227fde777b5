public import WireFormats

extension KeepTrack {
    /// What was 2.0.0 for seven hours, before a device kept in the settings what it may do.
    public enum SchemaV2FirstCut: VersionedSchema {
        public static let versionIdentifier = Schema.Version(2, 0, 0)
        public static let models = Models {
            Inherits(SchemaV2.self)
            Model("SDAppSettings") {
                Removed("iCloudAvailable", "cloudKitAvailable", "documentsAccessible", "lastPermissionCheck")
            }
        }
    }
}

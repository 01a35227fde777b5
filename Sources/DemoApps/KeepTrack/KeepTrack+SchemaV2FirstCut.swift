public import WireFormats

extension KeepTrack {
    /// The version that was 2.0.0 for seven hours, before the settings got attributes for the permissions of each
    /// device.
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

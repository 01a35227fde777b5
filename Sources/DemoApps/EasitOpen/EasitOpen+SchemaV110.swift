public import WireFormats

extension EasitOpen {
    /// Version 1.1.0, which stores the same data as version 1.0.0. Its new feature is the distance from the user's
    /// home; the home is kept only in the device's settings, which are not synced.
    public enum SchemaV110: VersionedSchema {
        public static let versionIdentifier = Schema.Version(1, 1, 0)
        public static let models = Models {
            Inherits(SchemaV100.self)
        }
    }
}

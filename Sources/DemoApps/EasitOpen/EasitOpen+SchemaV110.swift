public import WireFormats

extension EasitOpen {
    /// Version 1.1.0, which changes nothing that is stored. The app now shows distances from the user's home, which it
    /// computes; the home stays in the device's own settings.
    public enum SchemaV110: VersionedSchema {
        public static let versionIdentifier = Schema.Version(1, 1, 0)
        public static let models = Models {
            Inherits(SchemaV100.self)
        }
    }
}

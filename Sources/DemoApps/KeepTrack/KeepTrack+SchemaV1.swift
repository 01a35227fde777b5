public import WireFormats

extension KeepTrack {
    /// Version 1.0.0, the first one with a number: the same four entities as in 0.0.0 under new names.
    public enum SchemaV1: VersionedSchema {
        public static let versionIdentifier = Schema.Version(1, 0, 0)
        public static let models = Models {
            Inherits(SchemaV0.self)
            Model("SDEntryV1", originalName: "SDEntryV0")
            Model("SDIntakeTypeV1", originalName: "SDIntakeTypeV0")
            Model("SDGoalV1", originalName: "SDGoalV0")
            Model("SDAppSettingsV1", originalName: "SDAppSettingsV0")
        }
    }
}

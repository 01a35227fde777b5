public import WireFormats

extension KeepTrack {
    /// The schema that devices really had before the app had version numbers. The plan lists `SchemaV0` as version
    /// 0.0.0, and this schema as a historical variant of it. The class names in `SchemaV0` have a suffix that no class
    /// on a device ever had.
    public enum SchemaV0Store: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 0)
        public static let models = Models {
            Inherits(SchemaV0.self)
            Model("SDEntry", originalName: "SDEntryV0")
            Model("SDIntakeType", originalName: "SDIntakeTypeV0")
            Model("SDGoal", originalName: "SDGoalV0")
            Model("SDAppSettings", originalName: "SDAppSettingsV0")
        }
    }
}

public import WireFormats

extension KeepTrack {
    /// The store that devices really had before there were versions. In the app's plan, `SchemaV0` stands for it; but
    /// there every class has a suffix that no class on a device ever had.
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

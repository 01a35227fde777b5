public import WireFormats

extension KeepTrack {
    /// Version 2.0.0: every required attribute has a default, and the settings get local attributes (not synced) for
    /// the permissions of each device.
    public enum SchemaV2: VersionedSchema {
        public static let versionIdentifier = Schema.Version(2, 0, 0)
        public static let models = Models {
            Inherits(SchemaV1.self)
            Model("SDEntry", originalName: "SDEntryV1") {
                Attribute("date", .date, default: .creation)
                Attribute("units", .string, default: "")
                Attribute("amount", .double, default: 0.0)
                Attribute("name", .string, default: "")
                Attribute("goalMet", .bool, default: false)
            }
            Model("SDIntakeType", originalName: "SDIntakeTypeV1") {
                Attribute("name", .string, default: "")
                Attribute("unit", .string, default: "")
                Attribute("amount", .double, default: 0.0)
                Attribute("descrip", .string, default: "")
                Attribute("frequency", .string, default: "")
            }
            Model("SDGoal", originalName: "SDGoalV1") {
                Attribute("name", .string, default: "")
                Attribute("goalDescription", .string, default: "")
                Attribute("dates", .array(of: .date), default: [])
                Attribute("isActive", .bool, default: true)
                Attribute("isCompleted", .bool, default: false)
                Attribute("dosage", .double, default: 0.0)
                Attribute("units", .string, default: "")
                Attribute("frequency", .string, default: "")
            }
            Model("SDAppSettings", originalName: "SDAppSettingsV1") {
                Attribute("notificationsEnabled", .bool, default: true)
                Attribute("preferredUnits", .string, default: "metric")
                Attribute("theme", .string, default: "auto")
                Attribute("autoBackupEnabled", .bool, default: false)
                Attribute("cloudSyncEnabled", .bool, default: true)
                Attribute("createdAt", .date, default: .creation)
                Attribute("modifiedAt", .date, default: .creation)
                // The permissions of one device do not hold on another.
                Attribute("iCloudAvailable", .bool, default: false, scope: .local)
                Attribute("cloudKitAvailable", .bool, default: false, scope: .local)
                Attribute("documentsAccessible", .bool, default: false, scope: .local)
                Attribute("lastPermissionCheck", .date.optional, scope: .local)
            }
        }
    }
}

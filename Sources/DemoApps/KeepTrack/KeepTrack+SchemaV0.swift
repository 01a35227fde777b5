public import WireFormats

extension KeepTrack {
    /// Version 0.0.0: the models from before the app had versions.
    public enum SchemaV0: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 0)
        public static let models = Models {
            Model("SDEntryV0") {
                Identity("id")
                Attribute("date", .date)
                Attribute("units", .string)
                Attribute("amount", .double)
                Attribute("name", .string)
                Attribute("goalMet", .bool)
                Relationship("intakeType", toOne: "SDIntakeTypeV0")
            }
            Model("SDIntakeTypeV0") {
                Identity("id")
                Attribute("name", .string)
                Attribute("unit", .string)
                Attribute("amount", .double)
                Attribute("descrip", .string)
                // The words changed twice, so any text is valid.
                Attribute("frequency", .string)
                Relationship("entries", toMany: "SDEntryV0", inverse: "intakeType")
            }
            Model("SDGoalV0") {
                Identity("id")
                Attribute("name", .string)
                Attribute("goalDescription", .string)
                // Times of day, as moments of some day.
                Attribute("dates", .array(of: .date))
                Attribute("isActive", .bool)
                Attribute("isCompleted", .bool)
                Attribute("dosage", .double)
                Attribute("units", .string)
                Attribute("frequency", .string)
            }
            // A person has one set of settings, on however many devices.
            Model("SDAppSettingsV0", .singleton) {
                Identity("id")
                Attribute("notificationsEnabled", .bool)
                Attribute("defaultReminderTime", .date.optional)
                Attribute("preferredUnits", .string)
                Attribute("theme", .string)
                Attribute("lastBackupDate", .date.optional)
                Attribute("autoBackupEnabled", .bool)
                Attribute("cloudSyncEnabled", .bool)
                Attribute("acceptedLicenseVersion", .string.optional)
                Attribute("createdAt", .date)
                Attribute("modifiedAt", .date)
            }
        }
    }
}

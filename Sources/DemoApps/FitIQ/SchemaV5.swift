public import WireFormats

extension FitIQ {
    /// Version 0.0.5: adds moods, as a valence from -1 to 1 with labels.
    public enum SchemaV5: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 5)
        public static let models = Models {
            Inherits(SchemaV4.self)
            Model("SDUserProfile") {
                Relationship("moodEntries", toMany: "SDMoodEntry", deleteRule: .cascade, inverse: "userProfile")
            }
            Model("SDMoodEntry") {
                Identity("id")
                Attribute("userID", .string, default: "")
                Attribute("valence", .double.optional)
                Attribute("labels", .array(of: .string), default: [])
                Attribute("associations", .array(of: .string), default: [])
                Attribute("date", .date, default: .creation)
                Attribute("notes", .string.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("backendID", .string.optional)
                Attribute("syncStatus", .string, default: "pending")
                Attribute("sourceID", .string.optional)
                Relationship("userProfile", toOne: "SDUserProfile")
            }
        }
    }
}

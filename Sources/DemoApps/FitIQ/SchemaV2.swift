public import WireFormats

extension FitIQ {
    /// Version 0.0.2: adds measurements over time, of any metric, as rows of one entity.
    public enum SchemaV2: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 2)
        public static let models = Models {
            Inherits(SchemaV1.self)
            Model("SDUserProfile") {
                Relationship(
                    "progressEntries", toMany: "SDProgressEntry", deleteRule: .cascade, inverse: "userProfile")
            }
            Model("SDProgressEntry") {
                Identity("id")
                Attribute("userID", .string, default: "")
                Attribute("type", .string, default: "")
                Attribute("quantity", .double, default: 0.0)
                Attribute("date", .date, default: .creation)
                // A time of day as text, HH:MM:SS.
                Attribute("time", .string.optional)
                Attribute("notes", .string.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("backendID", .string.optional)
                Attribute("syncStatus", .string, default: "pending")
                Relationship("userProfile", toOne: "SDUserProfile")
            }
        }
    }
}

public import WireFormats

extension FitIQ {
    /// Version 0.0.3: adds a queue of the records that the device is to send to the app's own backend.
    ///
    /// The queue is local, because each device has its own. If it were shared, every device would send the records that
    /// one of them has already sent.
    public enum SchemaV3: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 3)
        public static let models = Models {
            Inherits(SchemaV2.self)
            Model("SDOutboxEvent", scope: .local) {
                Identity("id")
                Attribute("eventType", .string, default: "")
                // The id of the record to send; not a relationship.
                Attribute("entityID", .uuid, default: .newID)
                Attribute("userID", .string, default: "")
                Attribute("status", .string, default: "pending")
                Attribute("createdAt", .date, default: .creation)
                Attribute("lastAttemptAt", .date.optional)
                Attribute("attemptCount", .int, default: 0)
                Attribute("maxAttempts", .int, default: 5)
                Attribute("errorMessage", .string.optional)
                Attribute("completedAt", .date.optional)
                Attribute("metadata", .string.optional)
                Attribute("priority", .int, default: 0)
                Attribute("isNewRecord", .bool, default: true)
            }
        }
    }
}

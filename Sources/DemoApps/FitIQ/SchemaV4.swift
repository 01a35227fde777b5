public import WireFormats

extension FitIQ {
    /// Version 0.0.4: adds sleep, as one session for each night, and the stages of each session.
    public enum SchemaV4: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 4)
        public static let models = Models {
            Inherits(SchemaV3.self)
            Model("SDUserProfile") {
                Relationship("sleepSessions", toMany: "SDSleepSession", deleteRule: .cascade, inverse: "userProfile")
            }
            Model("SDSleepSession") {
                Identity("id")
                Attribute("userID", .string, default: "")
                Attribute("date", .date, default: .creation)
                Attribute("startTime", .date, default: .creation)
                Attribute("endTime", .date, default: .creation)
                Attribute("timeInBedMinutes", .int, default: 0)
                Attribute("totalSleepMinutes", .int, default: 0)
                // Per cent, 0 to 100.
                Attribute("sleepEfficiency", .double, default: 0.0)
                Attribute("source", .string.optional)
                Attribute("sourceID", .string.optional)
                Attribute("notes", .string.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("backendID", .string.optional)
                Attribute("syncStatus", .string, default: "pending")
                Relationship("userProfile", toOne: "SDUserProfile")
                Relationship("stages", toMany: "SDSleepStage", deleteRule: .cascade, inverse: "session")
            }
            Model("SDSleepStage") {
                Identity("id")
                Attribute("stage", .string, default: "")
                Attribute("startTime", .date, default: .creation)
                Attribute("endTime", .date, default: .creation)
                Attribute("durationMinutes", .int, default: 0)
                Relationship("session", toOne: "SDSleepSession")
            }
        }
    }
}

public import WireFormats

extension FitIQ {
    /// Version 0.0.1, the first one: a profile, its dietary preferences, body measurements and daily activity.
    public enum SchemaV1: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 1)
        public static let models = Models {
            Model("SDUserProfile") {
                Identity("id")
                Attribute("name", .string, default: "")
                Attribute("bio", .string.optional)
                Attribute("preferredUnitSystem", unitSystem, default: "metric")
                Attribute("languageCode", .string.optional)
                Attribute("dateOfBirth", .date.optional)
                Attribute("biologicalSex", .string.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("hasPerformedInitialHealthKitSync", .bool, default: false)
                Attribute("lastSuccessfulDailySyncDate", .date.optional)
                Relationship(
                    "dietaryAndActivityPreferences", toOne: "SDDietaryAndActivityPreferences", deleteRule: .cascade,
                    inverse: "userProfile")
                Relationship(
                    "bodyMetrics", toMany: "SDPhysicalAttribute", deleteRule: .cascade, inverse: "userProfile")
                Relationship(
                    "activitySnapshots", toMany: "SDActivitySnapshot", deleteRule: .cascade, inverse: "userProfile")
            }
            // The model has no identity of its own: the client gives the record's id.
            Model("SDDietaryAndActivityPreferences") {
                Attribute("allergies", .array(of: .string).optional)
                Attribute("dietaryRestrictions", .array(of: .string).optional)
                Attribute("foodDislikes", .array(of: .string).optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Relationship("userProfile", toOne: "SDUserProfile")
            }
            Model("SDPhysicalAttribute") {
                Identity("id")
                Attribute("value", .double.optional)
                Attribute("type", physicalAttributeType, default: "bodyMass")
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("backendID", .string.optional)
                Attribute("backendSyncedAt", .date.optional)
                Relationship("userProfile", toOne: "SDUserProfile")
            }
            Model("SDActivitySnapshot") {
                Identity("id")
                Attribute("activeMinutes", .int.optional)
                Attribute("activityLevel", activityLevel, default: "sedentary")
                Attribute("caloriesBurned", .double.optional)
                Attribute("date", .date, default: .creation)
                Attribute("distanceKm", .double.optional)
                Attribute("heartRateAvg", .double.optional)
                Attribute("steps", .int.optional)
                Attribute("workoutDurationMinutes", .double.optional)
                Attribute("workoutSessions", .int.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("backendID", .string.optional)
                Attribute("backendSyncedAt", .date.optional)
                Relationship("userProfile", toOne: "SDUserProfile")
            }
        }
    }
}

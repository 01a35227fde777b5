public import WireFormats

extension FitIQ {
    /// Version 0.1.1: adds templates for workouts, with their exercises.
    public enum SchemaV11: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 1, 1)
        public static let models = Models {
            Inherits(SchemaV10.self)
            Model("SDUserProfileV11", originalName: "SDUserProfileV10") {
                Relationship(
                    "workoutTemplates", toMany: "SDWorkoutTemplate", deleteRule: .cascade, inverse: "userProfile")
            }
            Model("SDDietaryAndActivityPreferences") { Attribute("updatedAt", .date.optional, default: .creation) }
            Model("SDWorkoutTemplate") {
                Identity("id")
                Attribute("name", .string, default: "")
                Attribute("templateDescription", .string.optional)
                Attribute("category", .string.optional)
                Attribute("difficultyLevel", .string.optional)
                Attribute("estimatedDurationMinutes", .int.optional)
                Attribute("isPublic", .bool, default: false)
                Attribute("isSystem", .bool, default: false)
                Attribute("status", .string, default: "draft")
                Attribute("exerciseCount", .int, default: 0)
                Attribute("timesUsed", .int, default: 0)
                Attribute("isFavorite", .bool, default: false)
                Attribute("isFeatured", .bool, default: false)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date, default: .creation)
                Attribute("backendID", .string.optional)
                Attribute("syncStatus", .string, default: "pending")
                Relationship("userProfile", toOne: "SDUserProfileV11")
                Relationship("exercises", toMany: "SDTemplateExercise", deleteRule: .cascade, inverse: "template")
            }
            Model("SDTemplateExercise") {
                Identity("id")
                Attribute("exerciseID", .string.optional)
                Attribute("userExerciseID", .string.optional)
                Attribute("exerciseName", .string, default: "")
                Attribute("orderIndex", .int, default: 0)
                Attribute("technique", .string.optional)
                Attribute("sets", .int.optional)
                Attribute("reps", .int.optional)
                Attribute("weightKg", .double.optional)
                Attribute("durationSeconds", .int.optional)
                Attribute("restSeconds", .int.optional)
                Attribute("notes", .string.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("backendID", .string.optional)
                Relationship("template", toOne: "SDWorkoutTemplate")
            }
        }
    }
}

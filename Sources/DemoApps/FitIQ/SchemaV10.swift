public import WireFormats

extension FitIQ {
    /// Version 0.1.0: adds workouts, and changes the profile, moods and photographed meals.
    public enum SchemaV10: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 1, 0)
        public static let models = Models {
            Inherits(SchemaV9.self)
            Model("SDUserProfileV10", originalName: "SDUserProfileV9") {
                Removed("bio", "languageCode")
                Attribute("unitSystem", .string, default: "metric", originalName: "preferredUnitSystem")
                Attribute("email", .string, default: "")
                // Secrets of one device's session are never sent.
                Attribute("authToken", .string.optional, scope: .local)
                Attribute("refreshToken", .string.optional, scope: .local)
                Attribute("tokenExpiresAt", .date.optional, scope: .local)
                Attribute("refreshTokenExpiresAt", .date.optional, scope: .local)
                Attribute("dailyCalorieGoal", .double.optional)
                Relationship("workouts", toMany: "SDWorkout", deleteRule: .cascade, inverse: "userProfile")
            }
            Model("SDMoodEntry") {
                Removed("valence", "labels", "associations", "sourceID")
                // A score, 1 to 10.
                Attribute("value", .int, default: 5)
            }
            Model("SDPhotoRecognition") {
                Removed("userID", "mealType", "confidenceScore", "needsReview", "totalCalories", "totalProteinG")
                Removed("totalCarbsG", "totalFatG", "totalFiberG", "totalSugarG", "loggedAt", "notes")
                Removed("processingStartedAt", "mealLogID")
                Attribute("photoFileName", .string.optional, originalName: "imageURL")
                Attribute("processedAt", .date.optional, originalName: "processingCompletedAt")
                Attribute("rawResponse", .string.optional)
                Relationship(
                    "recognizedFoods", toMany: "SDRecognizedFoodItem", deleteRule: .cascade,
                    inverse: "photoRecognition", originalName: "recognizedItems")
            }
            Model("SDRecognizedFoodItem") {
                Attribute("foodName", .string, default: "", originalName: "name")
                Attribute("quantity", .double.optional)
                Attribute("unit", .string.optional)
                Attribute("calories", .double, default: 0.0)
                Attribute("confidence", .double.optional, originalName: "confidenceScore")
                Attribute("createdAt", .date, default: .creation)
            }
            Model("SDWorkout") {
                Identity("id")
                Attribute("activityType", .string, default: "")
                Attribute("title", .string.optional)
                Attribute("notes", .string.optional)
                Attribute("startedAt", .date, default: .creation)
                Attribute("endedAt", .date.optional)
                Attribute("durationMinutes", .int.optional)
                Attribute("caloriesBurned", .int.optional)
                Attribute("distanceMeters", .double.optional)
                Attribute("intensity", .int.optional)
                Attribute("source", .string, default: "HealthKit")
                Attribute("sourceID", .string.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("backendID", .string.optional)
                Attribute("syncStatus", .string, default: "pending")
                Relationship("userProfile", toOne: "SDUserProfileV10")
            }
        }
    }
}

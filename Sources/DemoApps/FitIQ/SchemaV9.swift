public import WireFormats

extension FitIQ {
    /// Version 0.0.9: adds photographed meals and the food recognised in them.
    public enum SchemaV9: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 9)
        public static let models = Models {
            Inherits(SchemaV8.self)
            Model("SDUserProfileV9", originalName: "SDUserProfile") {
                Attribute("updatedAt", .date.optional)
                Relationship(
                    "photoRecognitions", toMany: "SDPhotoRecognition", deleteRule: .cascade, inverse: "userProfile")
            }
            Model("SDActivitySnapshot") { Attribute("updatedAt", .date.optional) }
            Model("SDProgressEntry") { Removed("userID") }
            Model("SDPhotoRecognition") {
                Identity("id")
                Attribute("userID", .string, default: "")
                Attribute("imageURL", .string.optional)
                Attribute("mealType", .string, default: "snack")
                Attribute("status", .string, default: "pending")
                Attribute("confidenceScore", .double.optional)
                Attribute("needsReview", .bool, default: true)
                Attribute("totalCalories", .int.optional)
                Attribute("totalProteinG", .double.optional)
                Attribute("totalCarbsG", .double.optional)
                Attribute("totalFatG", .double.optional)
                Attribute("totalFiberG", .double.optional)
                Attribute("totalSugarG", .double.optional)
                Attribute("loggedAt", .date, default: .creation)
                Attribute("notes", .string.optional)
                Attribute("errorMessage", .string.optional)
                Attribute("processingStartedAt", .date.optional)
                Attribute("processingCompletedAt", .date.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("backendID", .string.optional)
                Attribute("syncStatus", .string, default: "pending")
                // The id of the meal made from it; not a relationship.
                Attribute("mealLogID", .uuid.optional)
                Relationship("recognizedItems", toMany: "SDRecognizedFoodItem", deleteRule: .cascade)
                Relationship("userProfile", toOne: "SDUserProfileV9")
            }
            Model("SDRecognizedFoodItem") {
                Identity("id")
                Attribute("name", .string, default: "")
                Attribute("quantity", .double, default: 0.0)
                Attribute("unit", .string, default: "")
                Attribute("calories", .int, default: 0)
                Attribute("proteinG", .double, default: 0.0)
                Attribute("carbsG", .double, default: 0.0)
                Attribute("fatG", .double, default: 0.0)
                Attribute("fiberG", .double.optional)
                Attribute("sugarG", .double.optional)
                Attribute("confidenceScore", .double, default: 0.0)
                Attribute("orderIndex", .int, default: 0)
                Relationship("photoRecognition", toOne: "SDPhotoRecognition", inverse: "recognizedItems")
            }
        }
    }
}

public import WireFormats

extension FitIQ {
    /// Version 0.0.6: adds meals and their items. Sleep sessions and mood entries lose their `userID`.
    public enum SchemaV6: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 6)
        public static let models = Models {
            Inherits(SchemaV5.self)
            Model("SDUserProfile") {
                Relationship("mealLogs", toMany: "SDMeal", deleteRule: .cascade, inverse: "userProfile")
            }
            Model("SDSleepSession") { Removed("userID") }
            Model("SDMoodEntry") { Removed("userID") }
            Model("SDMeal") {
                Identity("id")
                Attribute("rawInput", .string, default: "")
                Attribute("mealType", mealType, default: "other")
                Attribute("status", mealLogStatus, default: "pending")
                Attribute("loggedAt", .date, default: .creation)
                Attribute("notes", .string.optional)
                Attribute("createdAt", .date, default: .creation)
                Attribute("updatedAt", .date.optional)
                Attribute("backendID", .string.optional)
                Attribute("syncStatus", syncStatus, default: "pending")
                Attribute("errorMessage", .string.optional)
                Attribute("totalCalories", .int.optional)
                Attribute("totalProteinG", .double.optional)
                Attribute("totalCarbsG", .double.optional)
                Attribute("totalFatG", .double.optional)
                Attribute("totalFiberG", .double.optional)
                Attribute("totalSugarG", .double.optional)
                Attribute("processingStartedAt", .date.optional)
                Attribute("processingCompletedAt", .date.optional)
                Relationship("userProfile", toOne: "SDUserProfile")
                Relationship("items", toMany: "SDMealLogItem", deleteRule: .cascade, inverse: "mealLog")
            }
            Model("SDMealLogItem") {
                Identity("id")
                Attribute("name", .string, default: "")
                // Free text such as "100g", "1 cup", "500 mL".
                Attribute("quantity", .string, default: "")
                Attribute("calories", .double, default: 0.0)
                Attribute("protein", .double, default: 0.0)
                Attribute("carbs", .double, default: 0.0)
                Attribute("fat", .double, default: 0.0)
                Attribute("fiberG", .double.optional)
                Attribute("sugarG", .double.optional)
                Attribute("confidence", .double.optional)
                Attribute("parsingNotes", .string.optional)
                Attribute("orderIndex", .int, default: 0)
                Attribute("createdAt", .date, default: .creation)
                Attribute("backendID", .string.optional)
                Relationship("mealLog", toOne: "SDMeal")
            }
        }
    }
}

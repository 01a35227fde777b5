import WireFormats

// The enumerations that models store as such. A version that declares one as a string (`SDMeal.status` from V8 on,
// every `syncStatus` but one) accepts any text. Cases are frozen with the versions that use them: a new case is a new
// version.
extension FitIQ {
    static let unitSystem = AttributeType.enumeration("UnitSystem", ["metric", "imperial"])

    static let activityLevel = AttributeType.enumeration(
        "ActivityLevel", ["sedentary", "light", "moderate", "vigorous"])

    static let physicalAttributeType = AttributeType.enumeration(
        "PhysicalAttributeType", ["bodyMass", "height", "bodyFatPercentage", "bmi"])

    static let mealType = AttributeType.enumeration(
        "MealType", ["breakfast", "lunch", "dinner", "snack", "drink", "water", "supplements", "other"])

    static let mealLogStatus = AttributeType.enumeration(
        "MealLogStatus", ["pending", "processing", "completed", "failed"])

    static let syncStatus = AttributeType.enumeration("SyncStatus", ["pending", "syncing", "synced", "failed"])
}

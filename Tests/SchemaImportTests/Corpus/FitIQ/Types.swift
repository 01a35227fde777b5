enum UnitSystem: String, Codable, CaseIterable {
    case metric, imperial
}

enum ActivityLevel: String, Codable, CaseIterable {
    case sedentary, light, moderate, vigorous
}

enum PhysicalAttributeType: String, Codable, CaseIterable {
    case bodyMass, height, bodyFatPercentage, bmi
}

enum MealType: String, Codable, CaseIterable {
    case breakfast, lunch, dinner, snack, drink, water, supplements, other
}

enum MealLogStatus: String, Codable, CaseIterable {
    case pending, processing, completed, failed
}

enum SyncStatus: String, Codable, CaseIterable {
    case pending, syncing, synced, failed
}

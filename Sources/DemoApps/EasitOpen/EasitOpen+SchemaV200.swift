public import WireFormats

extension EasitOpen {
    /// Version 2.0.0, which the app's documents plan: favorites, preferences, and a shorter name of a business.
    public enum SchemaV200: VersionedSchema {
        public static let versionIdentifier = Schema.Version(2, 0, 0)
        public static let models = Models {
            Inherits(SchemaV110.self)
            Model("Business") {
                Attribute("phone", .string.optional, originalName: "phoneNumber")
                Attribute("isFavorite", .bool, default: false)
                Attribute("preferences", .codable("UserPreferences").optional)
            }
        }
    }
}

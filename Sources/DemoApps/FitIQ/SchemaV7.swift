public import WireFormats

extension FitIQ {
    /// Version 0.0.7: distinguishes food from drinks, and gives some attributes other defaults.
    public enum SchemaV7: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 7)
        public static let models = Models {
            Inherits(SchemaV6.self)
            Model("SDUserProfile") { Attribute("updatedAt", .date.optional, default: .creation) }
            Model("SDPhysicalAttribute") { Attribute("updatedAt", .date.optional, default: .creation) }
            Model("SDActivitySnapshot") { Attribute("updatedAt", .date.optional, default: .creation) }
            Model("SDMeal") { Attribute("mealType", mealType, default: "breakfast") }
            Model("SDMealLogItem") { Attribute("foodType", .string, default: "food") }
        }
    }
}

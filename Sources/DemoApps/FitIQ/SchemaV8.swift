public import WireFormats

extension FitIQ {
    /// Version 0.0.8: the quantity of an item is a number and a unit instead of a text, and a meal's enumerations
    /// become strings, which may have any value.
    public enum SchemaV8: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 8)
        public static let models = Models {
            Inherits(SchemaV7.self)
            Model("SDMeal") {
                Attribute("mealType", .string, default: "snack")
                Attribute("status", .string, default: "pending")
                Attribute("syncStatus", .string, default: "pending")
            }
            Model("SDMealLogItem") {
                Attribute("quantity", .double, default: 0.0)
                Attribute("unit", .string, default: "")
            }
        }
    }
}

public import WireFormats

extension AllesTeurer {
    /// Version 1.0.0, the first one: numbers are `Double`, and no attribute has a default.
    public enum SchemaV1: VersionedSchema {
        public static let versionIdentifier = Schema.Version(1, 0, 0)
        public static let models = Models {
            // Neither model has an identity of its own: the client gives the records' ids.
            Model("ProductV1") {
                Attribute("normalizedName", .string)
                Attribute("bestPricePerQuantity", .double)
                Attribute("bestPriceStore", .string)
                Attribute("highestPricePerQuantity", .double)
                Attribute("highestPriceStore", .string)
                // The unit as people write it: "kg", "Stk", "Stück".
                Attribute("unit", .string)
                Attribute("lastUpdated", .date)
                Relationship("purchases", toMany: "PurchaseV1", deleteRule: .cascade, inverse: "product")
            }
            Model("PurchaseV1") {
                Attribute("shopName", .string)
                Attribute("date", .date)
                Attribute("totalPrice", .double)
                Attribute("quantity", .double)
                Attribute("actualProductName", .string)
                Attribute("unit", .string)
                Relationship("product", toOne: "ProductV1")
            }
        }
    }
}

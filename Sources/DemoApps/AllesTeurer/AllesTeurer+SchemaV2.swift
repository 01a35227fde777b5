public import WireFormats

extension AllesTeurer {
    /// Version 2.0.0: prices and quantities are exact, every attribute has a default, and the names of entities lose
    /// their suffix.
    public enum SchemaV2: VersionedSchema {
        public static let versionIdentifier = Schema.Version(2, 0, 0)
        public static let models = Models {
            Inherits(SchemaV1.self)
            Model("Product", originalName: "ProductV1") {
                Attribute("normalizedName", .string, default: "")
                Attribute("bestPricePerQuantity", .decimal, default: 0)
                Attribute("bestPriceStore", .string, default: "")
                Attribute("highestPricePerQuantity", .decimal, default: 0)
                Attribute("highestPriceStore", .string, default: "")
                Attribute("unit", .string, default: "")
                Attribute("lastUpdated", .date, default: .creation)
            }
            Model("Purchase", originalName: "PurchaseV1") {
                Attribute("shopName", .string, default: "")
                Attribute("date", .date, default: .creation)
                Attribute("totalPrice", .decimal, default: 0)
                Attribute("quantity", .decimal, default: 0)
                Attribute("actualProductName", .string, default: "")
                Attribute("unit", .string, default: "")
            }
        }
    }
}

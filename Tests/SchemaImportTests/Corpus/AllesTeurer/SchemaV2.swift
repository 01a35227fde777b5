import Foundation
import SwiftData

enum SchemaV2: VersionedSchema {
    static var versionIdentifier = Schema.Version(2, 0, 0)

    static var models: [any PersistentModel.Type] {
        [Product.self, Purchase.self]
    }

    @Model
    final class Product {
        var normalizedName: String = ""
        var bestPricePerQuantity: Decimal = 0
        var bestPriceStore: String = ""
        var highestPricePerQuantity: Decimal = 0
        var highestPriceStore: String = ""
        var unit: String = ""
        var lastUpdated: Date = Date.now
        @Relationship(deleteRule: .cascade, inverse: \Purchase.product) var purchases: [Purchase]?

        init() {}
    }

    @Model
    final class Purchase {
        var shopName: String = ""
        var date: Date = Date.now
        var totalPrice: Decimal = 0
        var quantity: Decimal = 0
        var actualProductName: String = ""
        var unit: String = ""
        var product: Product?

        init() {}
    }
}

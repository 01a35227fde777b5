import Foundation
import SwiftData

enum SchemaV1: VersionedSchema {
    static var versionIdentifier = Schema.Version(1, 0, 0)

    static var models: [any PersistentModel.Type] {
        [ProductV1.self, PurchaseV1.self]
    }

    @Model
    final class ProductV1 {
        var normalizedName: String
        var bestPricePerQuantity: Double
        var bestPriceStore: String
        var highestPricePerQuantity: Double
        var highestPriceStore: String
        var unit: String
        var lastUpdated: Date
        @Relationship(deleteRule: .cascade, inverse: \PurchaseV1.product) var purchases: [PurchaseV1]?

        init() {}
    }

    @Model
    final class PurchaseV1 {
        var shopName: String
        var date: Date
        var totalPrice: Double
        var quantity: Double
        var actualProductName: String
        var unit: String
        var product: ProductV1?

        init() {}
    }
}

public import WireFormats

/// The migration plan of Alles-Teurer's models, 1.0.0 to 3.0.0.
public enum AllesTeurerPlan: SchemaMigrationPlan {
    public static let app = "allesteurer"

    public static let schemas: [any VersionedSchema.Type] = [
        AllesTeurer.SchemaV1.self, AllesTeurer.SchemaV2.self, AllesTeurer.SchemaV3.self,
    ]

    public static let stages: [MigrationStage] = [
        .custom(fromVersion: AllesTeurer.SchemaV1.self, toVersion: AllesTeurer.SchemaV2.self) {
            Convert("ProductV1.bestPricePerQuantity", using: .doubleToDecimal)
            Convert("ProductV1.highestPricePerQuantity", using: .doubleToDecimal)
            Convert("PurchaseV1.totalPrice", using: .doubleToDecimal)
            Convert("PurchaseV1.quantity", using: .doubleToDecimal)
        },
        .lightweight(fromVersion: AllesTeurer.SchemaV2.self, toVersion: AllesTeurer.SchemaV3.self),
    ]
}

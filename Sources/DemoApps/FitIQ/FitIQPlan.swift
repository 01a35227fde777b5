public import WireFormats

/// The migration plan of FitIQ's models, 0.0.1 to 0.1.1.
public enum FitIQPlan: SchemaMigrationPlan {
    public static let app = "fitiq"

    public static let schemas: [any VersionedSchema.Type] = [
        FitIQ.SchemaV1.self, FitIQ.SchemaV2.self, FitIQ.SchemaV3.self, FitIQ.SchemaV4.self, FitIQ.SchemaV5.self,
        FitIQ.SchemaV6.self, FitIQ.SchemaV7.self, FitIQ.SchemaV8.self, FitIQ.SchemaV9.self, FitIQ.SchemaV10.self,
        FitIQ.SchemaV11.self,
    ]

    public static let stages: [MigrationStage] = [
        .lightweight(fromVersion: FitIQ.SchemaV1.self, toVersion: FitIQ.SchemaV2.self),
        .lightweight(fromVersion: FitIQ.SchemaV2.self, toVersion: FitIQ.SchemaV3.self),
        .lightweight(fromVersion: FitIQ.SchemaV3.self, toVersion: FitIQ.SchemaV4.self),
        .lightweight(fromVersion: FitIQ.SchemaV4.self, toVersion: FitIQ.SchemaV5.self),
        .lightweight(fromVersion: FitIQ.SchemaV5.self, toVersion: FitIQ.SchemaV6.self),
        .lightweight(fromVersion: FitIQ.SchemaV6.self, toVersion: FitIQ.SchemaV7.self),
        .custom(fromVersion: FitIQ.SchemaV7.self, toVersion: FitIQ.SchemaV8.self) {
            Convert("SDMealLogItem.quantity", to: "quantity", "unit", using: QuantityText())
            UnknownCase("SDMeal.mealType", reads: "other")
            // With the defaults, which mean pending, an older app might upload records that another device has uploaded
            // already.
            UnknownCase("SDMeal.status", reads: "completed")
            UnknownCase("SDMeal.syncStatus", reads: "synced")
        },
        .lightweight(fromVersion: FitIQ.SchemaV8.self, toVersion: FitIQ.SchemaV9.self),
        .custom(fromVersion: FitIQ.SchemaV9.self, toVersion: FitIQ.SchemaV10.self) {
            Convert("SDMoodEntry.valence", to: "value", using: MoodScore())
            Convert("SDRecognizedFoodItem.calories", using: FractionalCalories())
            // The app's own formula for the time that it shows for a photographed meal.
            Substitute("SDPhotoRecognition.loggedAt", .attribute("createdAt"))
        },
        .lightweight(fromVersion: FitIQ.SchemaV10.self, toVersion: FitIQ.SchemaV11.self),
    ]

    public static let historicalVariants = [
        HistoricalVariant(
            FitIQ.SchemaV10FirstCut.self, of: FitIQ.SchemaV10.self, addedWith: FitIQ.SchemaV11.self
        ) {
            // The day of a night is the day on which the night ends.
            Substitute("SDSleepSession.date", .attribute("endTime"))
        }
    ]
}

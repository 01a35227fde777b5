public import WireFormats

/// The migration plan of KeepTrack's models, from the builds without version numbers to version 2.0.0.
public enum KeepTrackPlan: SchemaMigrationPlan {
    public static let app = "keeptrack"

    /// The version that is assumed for a client that names none: the builds from before the app had versions.
    public static let baseline: (any VersionedSchema.Type)? = KeepTrack.SchemaV0.self

    public static let schemas: [any VersionedSchema.Type] = [
        KeepTrack.SchemaV0.self, KeepTrack.SchemaV1.self, KeepTrack.SchemaV2.self,
    ]

    public static let stages: [MigrationStage] = [
        .lightweight(fromVersion: KeepTrack.SchemaV0.self, toVersion: KeepTrack.SchemaV1.self),
        .lightweight(fromVersion: KeepTrack.SchemaV1.self, toVersion: KeepTrack.SchemaV2.self),
    ]

    public static let historicalVariants = [
        HistoricalVariant(
            KeepTrack.SchemaV0Store.self, of: KeepTrack.SchemaV0.self, addedWith: KeepTrack.SchemaV2.self),
        HistoricalVariant(
            KeepTrack.SchemaV2FirstCut.self, of: KeepTrack.SchemaV2.self, addedWith: KeepTrack.SchemaV2.self),
    ]
}

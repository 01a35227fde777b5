public import WireFormats

/// The migration plan of EasitOpen's models, from the builds without version numbers to version 2.0.0.
public enum EasitOpenPlan: SchemaMigrationPlan {
    public static let app = "easitopen"

    /// The version that is assumed for a client that names none: the newest build without a version number. It has
    /// every attribute that the older such build sends.
    public static let baseline: (any VersionedSchema.Type)? = EasitOpen.SchemaU2.self

    public static let schemas: [any VersionedSchema.Type] = [
        EasitOpen.SchemaU1.self, EasitOpen.SchemaU2.self, EasitOpen.SchemaV100.self, EasitOpen.SchemaV110.self,
        EasitOpen.SchemaV200.self,
    ]

    public static let stages: [MigrationStage] = [
        .lightweight(fromVersion: EasitOpen.SchemaU1.self, toVersion: EasitOpen.SchemaU2.self),
        .lightweight(fromVersion: EasitOpen.SchemaU2.self, toVersion: EasitOpen.SchemaV100.self),
        .lightweight(fromVersion: EasitOpen.SchemaV100.self, toVersion: EasitOpen.SchemaV110.self),
        .lightweight(fromVersion: EasitOpen.SchemaV110.self, toVersion: EasitOpen.SchemaV200.self),
    ]
}

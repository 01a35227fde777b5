/// One published version of an app's models. The name, the members and their meaning are those of SwiftData; the models
/// are values.
public protocol VersionedSchema: Sendable {
    static var versionIdentifier: Schema.Version { get }
    static var models: Models { get }
}

/// All versions of an app's models, oldest first, and the stages between neighbouring versions.
public protocol SchemaMigrationPlan: Sendable {
    /// The app's name in URLs, and of its PostgreSQL schema: lower-case letters, digits and underscores.
    static var app: String { get }
    static var schemas: [any VersionedSchema.Type] { get }
    static var stages: [MigrationStage] { get }
    /// The version of clients that were built before the app had version numbers, and so cannot name one. `nil`, the
    /// default, means that there never were such clients: then every request must name its version.
    static var baseline: (any VersionedSchema.Type)? { get }
    /// Other shapes that were shipped under the number of one of `schemas`. Empty by default, where a number always
    /// meant one shape. Variants are only ever added, at the end.
    static var historicalVariants: [HistoricalVariant] { get }
}

extension SchemaMigrationPlan {
    public static var baseline: (any VersionedSchema.Type)? { nil }
    public static var historicalVariants: [HistoricalVariant] { [] }
}

/// The declared step between two neighbouring versions, as SwiftData's `MigrationStage`.
public struct MigrationStage: Sendable {
    package let from: any VersionedSchema.Type
    package let to: any VersionedSchema.Type
    package let kind: Kind

    /// The kind of a stage: with or without instructions from the author. The plan's check compares it with what the
    /// schemas show.
    public enum Kind: Sendable {
        /// Everything follows from the two schemas.
        case lightweight
        /// At least one attribute changes in a way that the schemas alone do not tell.
        case custom([StageInstruction])
    }

    public static func lightweight(
        fromVersion from: any VersionedSchema.Type, toVersion to: any VersionedSchema.Type
    ) -> MigrationStage {
        MigrationStage(from: from, to: to, kind: .lightweight)
    }

    public static func custom(
        fromVersion from: any VersionedSchema.Type, toVersion to: any VersionedSchema.Type,
        @StageBuilder _ instructions: () -> [StageInstruction]
    ) -> MigrationStage {
        MigrationStage(from: from, to: to, kind: .custom(instructions()))
    }
}

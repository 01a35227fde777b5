/// One published version of an app's models. The names and their meaning are those of SwiftData's `VersionedSchema`,
/// but the models are values, not classes.
///
/// ```swift
/// enum SchemaV2: VersionedSchema {
///     static let versionIdentifier = Schema.Version(2, 0, 0)
///     static let models = Models {
///         Inherits(SchemaV1.self)
///         Model("Item") { Attribute("amount", .double, default: 1) }
///     }
/// }
/// ```
public protocol VersionedSchema: Sendable {
    /// The version number, which is higher than that of the version before.
    static var versionIdentifier: Schema.Version { get }
    /// The models: all of them, or the changes to the version that is inherited.
    static var models: Models { get }
}

/// All versions of an app's models, oldest first, and the stages between neighbouring versions.
///
/// ```swift
/// enum PantryPlan: SchemaMigrationPlan {
///     static let app = "pantry"
///     static let schemas: [any VersionedSchema.Type] = [SchemaV1.self, SchemaV2.self]
///     static let stages: [MigrationStage] = [.lightweight(fromVersion: SchemaV1.self, toVersion: SchemaV2.self)]
/// }
/// ```
public protocol SchemaMigrationPlan: Sendable {
    /// The app's name, which is used in URLs and as the name of the app's PostgreSQL schema: lower-case letters, digits
    /// and underscores.
    static var app: String { get }
    /// All published versions, oldest first. The version that is still being written may follow as the last.
    static var schemas: [any VersionedSchema.Type] { get }
    /// One stage for each two neighbouring versions.
    static var stages: [MigrationStage] { get }
    /// The version of clients that were built before the app had version numbers, and so cannot state one. `nil`, the
    /// default, means that there are no such clients: then every request must state its version.
    static var baseline: (any VersionedSchema.Type)? { get }
    /// The other forms of the models that were shipped under the number of one of `schemas`. Empty by default: every
    /// number has only ever meant one form. New variants are added at the end, and none is ever removed.
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

    /// The kind of a stage: without or with instructions from the author. The plan's check reports a declared kind that
    /// does not agree with the two schemas.
    package enum Kind: Sendable {
        /// Every change follows from the two schemas, without instructions.
        case lightweight
        /// At least one attribute changes in a way that does not follow from the schemas alone.
        case custom([StageInstruction.Kind])
    }

    /// Declares a step in which everything follows from the two schemas: attributes that are added, removed, renamed
    /// with `originalName`, or that became optional.
    public static func lightweight(
        fromVersion from: any VersionedSchema.Type, toVersion to: any VersionedSchema.Type
    ) -> MigrationStage {
        MigrationStage(from: from, to: to, kind: .lightweight)
    }

    /// Declares a step with instructions for the attributes whose change does not follow from the two schemas:
    ///
    /// ```swift
    /// .custom(fromVersion: SchemaV1.self, toVersion: SchemaV2.self) {
    ///     Convert("Trip.street", "number", to: "address", using: TripAddress())
    /// }
    /// ```
    public static func custom(
        fromVersion from: any VersionedSchema.Type, toVersion to: any VersionedSchema.Type,
        @StageBuilder _ instructions: () -> [StageInstruction]
    ) -> MigrationStage {
        MigrationStage(from: from, to: to, kind: .custom(instructions().map(\.kind)))
    }
}

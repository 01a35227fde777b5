/// A shape that was shipped under the number of a version and is not that version's: a first cut that reached devices,
/// or the classes that a store really had. Clients of both speak their own; only the fingerprint tells them apart.
///
/// ```swift
/// static let historicalVariants = [
///     HistoricalVariant(SchemaV10FirstCut.self, of: SchemaV10.self, addedWith: SchemaV11.self)
/// ]
/// ```
/// The variant is declared like a version that follows its canonical one: `Inherits(SchemaV10.self)`, and what was
/// different. It is not one of the plan's `schemas`, and no version inherits it.
public struct HistoricalVariant: Sendable {
    package let schema: any VersionedSchema.Type
    package let canonical: any VersionedSchema.Type
    package let addedWith: any VersionedSchema.Type
    package let kind: MigrationStage.Kind

    /// - Parameters:
    ///   - canonical: the version whose number the variant has.
    ///   - addedWith: the newest version of the plan when the variant was added to it, and that for ever: the tables
    ///     grow in this order, so a version that comes later leaves the variant's columns where they are.
    public init(
        _ schema: any VersionedSchema.Type, of canonical: any VersionedSchema.Type,
        addedWith: any VersionedSchema.Type
    ) {
        self.schema = schema
        self.canonical = canonical
        self.addedWith = addedWith
        kind = .lightweight
    }

    /// With what the two schemas alone do not tell, as in a `.custom` stage from the canonical version to the variant.
    public init(
        _ schema: any VersionedSchema.Type, of canonical: any VersionedSchema.Type,
        addedWith: any VersionedSchema.Type, @StageBuilder _ instructions: () -> [StageInstruction]
    ) {
        self.schema = schema
        self.canonical = canonical
        self.addedWith = addedWith
        kind = .custom(instructions())
    }
}

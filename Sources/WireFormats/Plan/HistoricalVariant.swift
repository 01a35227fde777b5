/// A shape that was shipped under a version's number and differs from that version: a first cut that reached devices,
/// or the classes that a store really had. Clients of both are served in their own shape; only the fingerprint
/// distinguishes them.
///
/// ```swift
/// static let historicalVariants = [
///     HistoricalVariant(SchemaV10FirstCut.self, of: SchemaV10.self, addedWith: SchemaV11.self)
/// ]
/// ```
/// The variant is declared like a version that follows its canonical version: `Inherits(SchemaV10.self)`, and the
/// differences. It is not one of the plan's `schemas`, and no version inherits it.
public struct HistoricalVariant: Sendable {
    package let schema: any VersionedSchema.Type
    package let canonical: any VersionedSchema.Type
    package let addedWith: any VersionedSchema.Type
    package let kind: MigrationStage.Kind

    /// - Parameters:
    ///   - schema: the shape that was shipped.
    ///   - canonical: the version whose number the variant has.
    ///   - addedWith: the newest version of the plan at the time when the variant was added. It never changes: the
    ///     tables grow in this order, so a version that comes later leaves the variant's columns where they are.
    public init(
        _ schema: any VersionedSchema.Type, of canonical: any VersionedSchema.Type,
        addedWith: any VersionedSchema.Type
    ) {
        self.schema = schema
        self.canonical = canonical
        self.addedWith = addedWith
        kind = .lightweight
    }

    /// Declares a variant with instructions for everything that the two schemas alone do not tell, as in a `.custom`
    /// stage from the canonical version to the variant.
    public init(
        _ schema: any VersionedSchema.Type, of canonical: any VersionedSchema.Type,
        addedWith: any VersionedSchema.Type, @StageBuilder _ instructions: () -> [StageInstruction]
    ) {
        self.schema = schema
        self.canonical = canonical
        self.addedWith = addedWith
        kind = .custom(instructions().map(\.kind))
    }
}

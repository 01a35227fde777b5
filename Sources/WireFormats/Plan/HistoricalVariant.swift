/// A form of the models that was shipped under a version's number but differs from that version. It may be a first
/// draft that reached devices, or the classes from which an app really made its store. The server serves clients of
/// both forms. Only the fingerprint distinguishes them.
///
/// ```swift
/// static let historicalVariants = [
///     HistoricalVariant(SchemaV10FirstCut.self, of: SchemaV10.self, addedWith: SchemaV11.self)
/// ]
/// ```
/// The variant is declared like a version that comes after its canonical version (the version whose number it has):
/// `Inherits(SchemaV10.self)`, and the differences. It is not one of the plan's `schemas`, and no version inherits it.
public struct HistoricalVariant: Sendable {
    package let schema: any VersionedSchema.Type
    package let canonical: any VersionedSchema.Type
    package let addedWith: any VersionedSchema.Type
    package let kind: MigrationStage.Kind

    /// Declares a variant that follows from the two schemas alone.
    ///
    /// - Parameters:
    ///   - schema: the shape that was shipped.
    ///   - canonical: the version whose number the variant has.
    ///   - addedWith: the newest version of the plan when the variant was added. It must never change, because it fixes
    ///     the position of the variant's columns in the tables: a version that is added later gets its columns after
    ///     them.
    public init(
        _ schema: any VersionedSchema.Type, of canonical: any VersionedSchema.Type,
        addedWith: any VersionedSchema.Type
    ) {
        self.schema = schema
        self.canonical = canonical
        self.addedWith = addedWith
        kind = .lightweight
    }

    /// Declares a variant with instructions for the changes that do not follow from the two schemas alone, as in a
    /// `.custom` stage from the canonical version to the variant.
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

/// What the author of a `.custom` stage says about attributes whose change the two schemas alone do not tell.
///
/// Attributes are written `"Entity.attribute"`, with the entity's name in the older version.
public enum StageInstruction: Sendable {
    case convert(Joint)
    case unknownCase(String, reads: String)
    case substitute(String, Default)
    case distinct(String, from: String)
    case undecided(Undecided)

    /// Attributes of the older version, joined by a mapping with attributes of the newer.
    public struct Joint: Sendable {
        package let entity: String
        package let older: [String]
        package let newer: [String]
        let mapping: @Sendable (Schema.Entity, Schema.Entity) -> ValueMapping
        let verb: Verb
        /// What the two versions do not have that the author named.
        var mistake: @Sendable (Schema.Entity, Schema.Entity) -> String? = { _, _ in nil }
        /// What a `MapCases` says; `nil` for everything else.
        package var cases: Cases?

        /// Older raw values with their newer ones, and what each side reads for a case that it does not have.
        package struct Cases: Sendable {
            package let pairs: [(older: String, newer: String)]
            package let unknown: (older: String, newer: String)
        }

        enum Verb: String, Sendable {
            case convert
            case mapCases
            case split
            case merge
        }
    }
}

extension StageInstruction.Joint {
    /// What the author wrote, on plain values in the order of `older` and `newer`: for whoever reads a plan without
    /// compiling it.
    package struct Directions: Sendable {
        package let fidelity: Fidelity
        package let up: @Sendable ([Value]) throws(LensFailure) -> [Value]
        package let down: @Sendable ([Value]) throws(LensFailure) -> [Value]
    }

    /// The two functions, for the entity as its neighbouring versions declare it.
    package func directions(from older: Schema.Entity, to newer: Schema.Entity) -> Directions {
        let mapping = mapping(older, newer)
        return Directions(fidelity: mapping.fidelity, up: mapping.up, down: mapping.down)
    }
}

/// Changes an attribute's type, or makes attributes of others: `Convert("SDMoodEntry.valence", to: "value", using:
/// MoodScore())`, `Convert("Trip.street", "number", "city", to: "address", using: TripAddress())`.
public struct Convert: Sendable {
    let instruction: StageInstruction

    /// - Parameter newer: the attribute's name in the newer version; the same, where it is not given.
    public init<C: Conversion>(_ path: String, to newer: String? = nil, using conversion: C)
    where C.Older: AttributeValue, C.Newer: AttributeValue {
        let attribute = splitPath(path).attribute
        self.init(path, [], [newer ?? attribute], ValueMapping(conversion))
    }

    /// Attributes in the order in which the conversion's tuples have their values.
    ///
    /// Both forms keep columns, and what is linked so is edited as one: see *Parts* in `docs/architecture.md`.
    ///
    /// - Parameters:
    ///   - path: the first of the older attributes, `"Entity.attribute"`.
    ///   - others: the names of further ones of the same entity.
    ///   - newer: the first of the newer attributes' names.
    public init<C: Conversion, each Older: AttributeValue, each Newer: AttributeValue>(
        _ path: String, _ others: String..., to newer: String, _ further: String..., using conversion: C
    ) where C.Older == (repeat each Older), C.Newer == (repeat each Newer) {
        self.init(
            path, others, [newer] + further,
            ValueMapping(conversion, from: repeat (each Older).self, to: repeat (each Newer).self))
    }

    private init(_ path: String, _ others: [String], _ newer: [String], _ mapping: ValueMapping) {
        let (entity, attribute) = splitPath(path)
        instruction = .convert(
            .init(
                entity: entity, older: [attribute] + others, newer: newer, mapping: { _, _ in mapping }, verb: .convert
            ))
    }
}

/// Splits an attribute in two: `Split("SDMealLogItem.quantity", into: "quantity", "unit", using: QuantityText())`.
public struct Split: Sendable {
    let instruction: StageInstruction

    public init(_ path: String, into first: String, _ second: String, using conversion: some SplitConversion) {
        let (entity, attribute) = splitPath(path)
        let mapping = ValueMapping(splitting: conversion)
        instruction = .convert(
            .init(
                entity: entity, older: [attribute], newer: [first, second], mapping: { _, _ in mapping }, verb: .split))
    }
}

/// Makes one attribute of two of the same entity: `Merge("Person.firstName", "lastName", into: "name", using:
/// FullName())`.
public struct Merge: Sendable {
    let instruction: StageInstruction

    public init(_ path: String, _ second: String, into newer: String, using conversion: some SplitConversion) {
        let (entity, attribute) = splitPath(path)
        let mapping = ValueMapping(merging: conversion)
        instruction = .convert(
            .init(
                entity: entity, older: [attribute, second], newer: [newer], mapping: { _, _ in mapping }, verb: .merge))
    }
}

/// Renames or folds the cases of an enumeration. A case that is not named keeps its name where the other side has it,
/// and otherwise reads as `unknown`.
public struct MapCases: Sendable {
    let instruction: StageInstruction

    /// - Parameters:
    ///   - cases: older raw value to newer raw value.
    ///   - unknown: what an older and a newer version read for a case that they do not have.
    public init(
        _ path: String, to newer: String? = nil, _ cases: [(String, String)] = [],
        unknown: (older: String, newer: String)
    ) {
        let (entity, attribute) = splitPath(path)
        let name = newer ?? attribute
        let caseMap: @Sendable (Schema.Entity, Schema.Entity) -> CaseMap = { older, newer in
            CaseMap(
                cases: cases, unknown: unknown, older: older.attribute(attribute)?.type,
                newer: newer.attribute(name)?.type)
        }
        instruction = .convert(
            .init(
                entity: entity, older: [attribute], newer: [name], mapping: { caseMap($0, $1).mapping },
                verb: .mapCases,
                mistake: { caseMap($0, $1).mistake },
                cases: .init(pairs: cases.map { (older: $0, newer: $1) }, unknown: unknown)))
    }
}

/// What older versions, whose enumeration lacks a case, read for it. Without this they read the attribute's default.
public struct UnknownCase: Sendable {
    let instruction: StageInstruction

    public init(_ path: String, reads fallback: String) {
        instruction = .unknownCase(path, reads: fallback)
    }
}

/// What older versions read in an attribute that this stage removes, in records that newer versions create. Without
/// this they read the attribute's own default.
public struct Substitute: Sendable {
    let instruction: StageInstruction

    public init(_ path: String, _ standard: Default) {
        instruction = .substitute(path, standard)
    }
}

/// States that something added is not a renaming of something removed, where the plan check asks.
public struct Distinct: Sendable {
    let instruction: StageInstruction

    /// - Parameters: an entity's or attribute's (`"Entity.attribute"`) name in the newer and in the older version.
    public init(_ newer: String, from older: String) {
        instruction = .distinct(newer, from: older)
    }
}

/// Collects the instructions of a `.custom` stage.
@resultBuilder
public enum StageBuilder {
    public static func buildExpression(_ x: Convert) -> [StageInstruction] { [x.instruction] }
    public static func buildExpression(_ x: Split) -> [StageInstruction] { [x.instruction] }
    public static func buildExpression(_ x: Merge) -> [StageInstruction] { [x.instruction] }
    public static func buildExpression(_ x: MapCases) -> [StageInstruction] { [x.instruction] }
    public static func buildExpression(_ x: UnknownCase) -> [StageInstruction] { [x.instruction] }
    public static func buildExpression(_ x: Substitute) -> [StageInstruction] { [x.instruction] }
    public static func buildExpression(_ x: Distinct) -> [StageInstruction] { [x.instruction] }
    public static func buildExpression(_ x: Undecided) -> [StageInstruction] { [.undecided(x)] }
    public static func buildBlock(_ parts: [StageInstruction]...) -> [StageInstruction] { parts.flatMap { $0 } }
}

/// `"Entity.attribute"` in its two parts; the attribute is empty where there is no point, which no schema contains.
func splitPath(_ path: String) -> (entity: String, attribute: String) {
    guard let point = path.firstIndex(of: ".") else { return (path, "") }
    return (String(path[..<point]), String(path[path.index(after: point)...]))
}

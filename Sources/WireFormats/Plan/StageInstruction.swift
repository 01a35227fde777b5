/// An instruction of a `.custom` stage for attributes whose change does not follow from the two schemas alone.
///
/// Attributes are written `"Entity.attribute"`, with the entity's name in the older version.
public struct StageInstruction: Sendable {
    let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// The words of an instruction, as the compiler reads them.
    package enum Kind: Sendable {
        case convert(Joint)
        case unknownCase(String, reads: String)
        case substitute(String, Default)
        case distinct(String, from: String)
        case undecided(Undecided)
    }

    /// Attributes of the older version that a mapping links with attributes of the newer version.
    package struct Joint: Sendable {
        package let entity: String
        package let older: [String]
        package let newer: [String]
        let mapping: @Sendable (Schema.Entity, Schema.Entity) -> ValueMapping
        let verb: Verb
        /// Returns the first name in the author's instruction that the two versions do not have.
        var mistake: @Sendable (Schema.Entity, Schema.Entity) -> String? = { _, _ in nil }
        /// The case names of a `MapCases`; `nil` for every other instruction.
        package var cases: Cases?

        /// The pairs of older and newer raw values, and the value that each side reads for a case that it does not
        /// have.
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
    /// The author's two functions on plain values, in the order of `older` and `newer`, for code that reads a plan
    /// without compiling it.
    package struct Directions: Sendable {
        package let fidelity: Fidelity
        package let up: @Sendable ([Value]) throws(LensFailure) -> [Value]
        package let down: @Sendable ([Value]) throws(LensFailure) -> [Value]
    }

    /// The author's two functions, for the entity as its neighbouring versions declare it.
    package func directions(from older: Schema.Entity, to newer: Schema.Entity) -> Directions {
        let mapping = mapping(older, newer)
        return Directions(fidelity: mapping.fidelity, up: mapping.up, down: mapping.down)
    }
}

/// Changes an attribute's type, or converts attributes into others, however many on either side.
///
/// ```swift
/// .custom(fromVersion: SchemaV1.self, toVersion: SchemaV2.self) {
///     Convert("Trip.price", using: .doubleToDecimal)
///     Convert("Trip.street", "number", to: "address", using: TripAddress())
/// }
/// ```
public struct Convert: Sendable {
    let instruction: StageInstruction.Kind

    /// Converts one attribute into one.
    ///
    /// - Parameters:
    ///   - path: the attribute of the older version, `"Entity.attribute"`.
    ///   - newer: the attribute's name in the newer version; by default the same name.
    ///   - conversion: the two functions between the older value and the newer.
    public init<C: Conversion>(_ path: String, to newer: String? = nil, using conversion: C)
    where C.Older: AttributeValue, C.Newer: AttributeValue {
        let attribute = splitPath(path).attribute
        self.init(path, [], [newer ?? attribute], ValueMapping(conversion))
    }

    /// Converts several attributes, named in the order of the values in the conversion's tuples.
    ///
    /// Both forms keep columns, and attributes that are linked in this way are edited as one: see *Parts* in
    /// `docs/internals/rows.md`.
    ///
    /// - Parameters:
    ///   - path: the first of the older attributes, `"Entity.attribute"`.
    ///   - others: the names of further attributes of the same entity.
    ///   - newer: the first of the newer attributes' names.
    ///   - further: the other newer attributes' names.
    ///   - conversion: the two functions between the older values and the newer.
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

/// Renames or folds the cases of an enumeration. A case that is not listed keeps its name if the other side has it.
/// Otherwise it reads as `unknown`.
public struct MapCases: Sendable {
    let instruction: StageInstruction.Kind

    /// - Parameters:
    ///   - path: the attribute of the older version, `"Entity.attribute"`.
    ///   - newer: the attribute's name in the newer version; by default the same name.
    ///   - cases: pairs of an older and a newer raw value.
    ///   - unknown: the value that an older and a newer version read for a case that they do not have.
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

/// The case that older versions read for a newer case that their enumeration lacks. Without this instruction they read
/// the attribute's default.
public struct UnknownCase: Sendable {
    let instruction: StageInstruction.Kind

    /// - Parameters:
    ///   - path: the attribute of the older version, `"Entity.attribute"`.
    ///   - fallback: the raw value of the older version's case that is read instead.
    public init(_ path: String, reads fallback: String) {
        instruction = .unknownCase(path, reads: fallback)
    }
}

/// The value that older versions read for an attribute that this stage removes, in records that newer versions create.
/// Without this instruction they read the attribute's own default.
public struct Substitute: Sendable {
    let instruction: StageInstruction.Kind

    /// - Parameters:
    ///   - path: the attribute that the stage removes, `"Entity.attribute"`.
    ///   - standard: a value of the attribute's type, or `.attribute` with the name of another attribute that stays.
    public init(_ path: String, _ standard: Default) {
        instruction = .substitute(path, standard)
    }
}

/// States that an added entity or attribute is not a renaming of a removed one, where the plan's check asks.
public struct Distinct: Sendable {
    let instruction: StageInstruction.Kind

    /// - Parameters: the name of an entity or attribute (`"Entity.attribute"`) in the newer and in the older version.
    public init(_ newer: String, from older: String) {
        instruction = .distinct(newer, from: older)
    }
}

/// Collects the instructions of a `.custom` stage.
@resultBuilder
public enum StageBuilder {
    public static func buildExpression(_ x: Convert) -> [StageInstruction] { [.init(x.instruction)] }
    public static func buildExpression(_ x: MapCases) -> [StageInstruction] { [.init(x.instruction)] }
    public static func buildExpression(_ x: UnknownCase) -> [StageInstruction] { [.init(x.instruction)] }
    public static func buildExpression(_ x: Substitute) -> [StageInstruction] { [.init(x.instruction)] }
    public static func buildExpression(_ x: Distinct) -> [StageInstruction] { [.init(x.instruction)] }
    public static func buildExpression(_ x: Undecided) -> [StageInstruction] { [.init(.undecided(x))] }
    public static func buildBlock(_ parts: [StageInstruction]...) -> [StageInstruction] { parts.flatMap { $0 } }
}

/// Splits `"Entity.attribute"` into its two parts. Without a point the attribute is empty, a name that no schema
/// contains.
func splitPath(_ path: String) -> (entity: String, attribute: String) {
    guard let point = path.firstIndex(of: ".") else { return (path, "") }
    return (String(path[..<point]), String(path[path.index(after: point)...]))
}

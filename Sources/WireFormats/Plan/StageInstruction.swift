/// An instruction in a `.custom` stage for attributes whose change does not follow from the two schemas alone.
///
/// Attributes are written as `"Entity.attribute"`, with the entity's name in the older version.
public struct StageInstruction: Sendable {
    let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// An instruction in the form that the stage compiler uses.
    package enum Kind: Sendable {
        case convert(Joint)
        case unknownCase(String, reads: String)
        case substitute(String, Default)
        case distinct(String, from: String)
        case undecided(Undecided)
    }

    /// A conversion in a stage: the older attributes, the newer attributes, and the mapping between their values.
    package struct Joint: Sendable {
        package let entity: String
        package let older: [String]
        package let newer: [String]
        let mapping: @Sendable (Schema.Entity, Schema.Entity) -> ValueMapping
        let verb: Verb
        /// Returns a description of the first mistake in a `MapCases` instruction; `nil` if there is none. The
        /// arguments are the entity as the older and as the newer version declares it.
        var mistake: @Sendable (Schema.Entity, Schema.Entity) -> String? = { _, _ in nil }
        /// The cases in a `MapCases` instruction; `nil` for every other instruction.
        package var cases: Cases?

        /// The raw values in a `MapCases` instruction. `pairs` has an older and a newer raw value for each mapped case.
        /// `unknown` has for each version the raw value that it reads in place of a case that it does not have.
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
    /// The author's two conversion functions, for code that reads a plan without compiling it. They take and return
    /// arrays of values, in the order of the attributes in `older` and `newer`.
    package struct Directions: Sendable {
        package let fidelity: Fidelity
        package let up: @Sendable ([Value]) throws(LensFailure) -> [Value]
        package let down: @Sendable ([Value]) throws(LensFailure) -> [Value]
    }

    /// Returns the author's two conversion functions for an entity, as the older and the newer version declare the
    /// entity.
    package func directions(from older: Schema.Entity, to newer: Schema.Entity) -> Directions {
        let mapping = mapping(older, newer)
        return Directions(fidelity: mapping.fidelity, up: mapping.up, down: mapping.down)
    }
}

/// Changes the type of an attribute, or converts any number of attributes into any number of others.
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

    /// Converts several attributes. They are named in the order of the values in the conversion's tuples.
    ///
    /// The older and the newer attributes each have columns of their own. Attributes that are linked in this way are
    /// merged as one unit: see *Parts* in `docs/internals/rows.md`.
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

/// Renames cases of an enumeration, or maps several to one. A case that is not listed keeps its name if the other
/// version has it. Otherwise the other version reads `unknown`.
public struct MapCases: Sendable {
    let instruction: StageInstruction.Kind

    /// Makes the instruction.
    ///
    /// - Parameters:
    ///   - path: the attribute of the older version, `"Entity.attribute"`.
    ///   - newer: the attribute's name in the newer version; by default the same name.
    ///   - cases: pairs of an older and a newer raw value.
    ///   - unknown: two raw values: `older` is read by the older version for a case that it does not have, and `newer`
    ///     by the newer version.
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

/// The case that older versions read in place of a newer case that their enumeration does not have. Without this
/// instruction they read the attribute's default.
public struct UnknownCase: Sendable {
    let instruction: StageInstruction.Kind

    /// Makes the instruction for one attribute.
    ///
    /// - Parameters:
    ///   - path: the attribute of the older version, `"Entity.attribute"`.
    ///   - fallback: the raw value of a case of the older version. The older version reads it in place of a newer case.
    public init(_ path: String, reads fallback: String) {
        instruction = .unknownCase(path, reads: fallback)
    }
}

/// States the value that older versions read in place of an attribute that this stage removes, in records that newer
/// versions create. Without this instruction, older versions read the attribute's declared default.
public struct Substitute: Sendable {
    let instruction: StageInstruction.Kind

    /// Makes the instruction for one attribute.
    ///
    /// - Parameters:
    ///   - path: the attribute that the stage removes, `"Entity.attribute"`.
    ///   - standard: a value of the attribute's type, or `.attribute` with the name of another attribute, which must
    ///     not be removed.
    public init(_ path: String, _ standard: Default) {
        instruction = .substitute(path, standard)
    }
}

/// States that an added entity or attribute is not a removed one under a new name. The plan's check asks for this
/// statement if the two look similar.
public struct Distinct: Sendable {
    let instruction: StageInstruction.Kind

    /// Makes the statement.
    ///
    /// - Parameters:
    ///   - newer: the added entity or attribute (`"Entity.attribute"`), by its name in the newer version.
    ///   - older: the removed entity or attribute, by its name in the older version.
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

/// Splits `"Entity.attribute"` into its two parts. If there is no point, the attribute is the empty text, which is no
/// name in any schema.
func splitPath(_ path: String) -> (entity: String, attribute: String) {
    guard let point = path.firstIndex(of: ".") else { return (path, "") }
    return (String(path[..<point]), String(path[path.index(after: point)...]))
}

/// The shape of an app's tables: the newest version, plus what older supported versions still need.
///
/// One table for each entity identity, one column for each attribute identity, named by their first names, so that a
/// rename never touches SQL.
public struct Hub: Sendable {
    /// The PostgreSQL schema that holds the tables; the app's name.
    public let schema: String
    /// In the order in which the versions introduced them. A hub entity is referred to by its place here.
    public let entities: [HubEntity]
    /// By the place of an entity: the entities that refer to it, and by which of their references.
    package let referrers: [[(entity: Int, reference: Int)]]
    /// Whether any relationship denies a deletion.
    package let hasDenials: Bool
    /// Whether records of any entity have texts for ids.
    public let hasTextIDs: Bool
    /// By the place of an entity: the entity that a column refers to, for the columns that refer to records with texts
    /// for ids.
    package let textTargets: [[Int: Int]]

    /// Columns that every table has for the server's own use.
    package static var ownColumns: Set<String> { HubEntityBuilder.reservedColumns }

    init(schema: String, entities: [HubEntity]) {
        self.schema = schema
        self.entities = entities
        var referrers: [[(entity: Int, reference: Int)]] = Array(repeating: [], count: entities.count)
        for entity in entities {
            for (place, reference) in entity.references.enumerated() {
                referrers[reference.target].append((entity.index, place))
            }
        }
        self.referrers = referrers
        hasDenials = entities.contains { $0.references.contains { $0.keepsTarget || $0.isKeptByTarget } }
        hasTextIDs = entities.contains(where: \.hasTextIDs)
        textTargets = entities.map { entity in
            let references = entity.references.filter { entities[$0.target].hasTextIDs }
            return Dictionary(references.map { ($0.column, $0.target) }, uniquingKeysWith: { first, _ in first })
        }
    }
}

/// One entity identity: its table, its columns, and how its records depend on others.
public final class HubEntity: Sendable {
    /// The entity's first name.
    public let identity: String
    /// Its place in `Hub.entities`.
    public let index: Int
    public let table: String
    /// The id of the one record that each space has; `nil` for an entity of many.
    ///
    /// The same in every space, because a record's key is its space and its id, and so that a device knows it before
    /// it knows its space. Two devices that set up the same space offline make the same record, and it merges.
    public let singleton: ID?
    /// In the order in which the versions introduced them. The order is append-only, so a place here is stable and is
    /// what per-attribute stamps are keyed by.
    public let columns: [Column]
    /// To-one relationships, in the order of their columns.
    public let references: [Reference]
    /// Columns that merge as one, because a stage links them. Every column is in exactly one.
    public let units: [MergeUnit]
    /// The unit of each column.
    public let unitOfColumn: [Int]
    /// Columns of which the newest version says that no two living records of a space hold the same value.
    public let uniqueColumns: [Int]
    /// Columns whose values may be long, and that a push need not read where it does not concern them: at most 64, and
    /// none of those that are unique.
    public let largeColumns: [Int]
    /// By column: its bit in `RecordState.withheld`; 0 for a column that is always read.
    public let largeBits: [UInt64]
    /// Units that have parts, as places in `units`.
    public let unitsWithParts: [Int]
    /// Whether its records have texts for ids, in any version.
    public let hasTextIDs: Bool
    /// Whether any attribute is a counter.
    public let hasCounters: Bool
    /// Whether every unit keeps the latest edit as it was made.
    public let keepsLatestOnly: Bool
    /// See `StampSet.whole`.
    package let wholeStamps: [UInt8]
    /// See `StampSet.wholeNotes`.
    let wholeNotes: [Int: Stamp]
    /// Units of several attributes that are edited as one, as places in `units`.
    package let unitsEditedAsOne: [Int]
    /// By column: what it holds in a record of which nothing was said, as the newest version that has it says, or the
    /// type's zero where that depends on the record.
    package let standards: [Value]
    /// By column: what may be sent of it, where the newest version that has it reads it as it is; otherwise that
    /// version's lens decides, and there is none here.
    package let forms: [WireForm?]

    init(
        identity: String, index: Int, table: String, singleton: ID?, columns: [Column], references: [Reference],
        units: [MergeUnit], unitOfColumn: [Int], uniqueColumns: [Int], hasTextIDs: Bool = false,
        standards: [Value] = [], forms: [WireForm?] = []
    ) {
        self.identity = identity
        self.index = index
        self.table = table
        self.singleton = singleton
        self.columns = columns
        self.references = references
        self.units = units
        self.unitOfColumn = unitOfColumn
        self.uniqueColumns = uniqueColumns
        self.hasTextIDs = hasTextIDs
        let large = columns.indices.filter { columns[$0].type.isLong && !uniqueColumns.contains($0) }
        largeColumns = Array(large.prefix(UInt64.bitWidth))
        var bits = Array(repeating: UInt64(0), count: columns.count)
        for (place, column) in largeColumns.enumerated() { bits[column] = 1 << UInt64(place) }
        largeBits = bits
        unitsWithParts = units.indices.filter { !units[$0].parts.isEmpty }
        hasCounters = units.contains { $0.rule.policy == .counter }
        keepsLatestOnly = units.allSatisfy { $0.rule == .latest }
        wholeStamps = StampSet.whole(units: units)
        wholeNotes = StampSet.wholeNotes(units: units)
        unitsEditedAsOne = units.indices.filter { units[$0].isEditedAsOne }
        self.standards = columns.indices.map { $0 < standards.count ? standards[$0] : .null }
        self.forms = columns.indices.map { $0 < forms.count ? forms[$0] : nil }
    }

    /// One attribute identity, or a retained older form of one.
    public struct Column: Sendable, Hashable {
        public let name: String
        public let type: ColumnType
        public let isNullable: Bool
        /// The oldest version that has it, as a place in `Plan.schemas`; a variant counts as the version whose number
        /// it has.
        public let introduced: Int
        /// The newest version that has it.
        public let lastUsed: Int
    }

    /// A set of columns that one stamp covers.
    public struct MergeUnit: Sendable, Hashable {
        public let columns: [Int]
        /// Which edit of them stands.
        public let rule: MergeRule
        /// Where a stage links one attribute, the whole, with several: the columns of each of the several, which have a
        /// stamp of their own. Empty where one stamp is enough.
        public let parts: [[Int]]

        public init(columns: [Int], rule: MergeRule = .latest, parts: [[Int]] = []) {
            self.columns = columns
            self.rule = rule
            self.parts = parts
        }

        /// The first of its columns: what its stamp is stored under.
        public var key: Int { columns[0] }

        /// The part that a column is of, as a place in `parts`; `nil` for a column of the whole.
        package func part(of column: Int) -> Int? {
            parts.isEmpty ? nil : parts.firstIndex { $0.contains(column) }
        }

        /// True where some version may have several attributes in it, of which an edit may say some.
        var isEditedAsOne: Bool { parts.isEmpty && rule == .latest && columns.count > 2 }

        /// Tells whether something may be noted of it under a column, see `StampSet`.
        func isNoted(under column: Int) -> Bool {
            rule == .latest ? isEditedAsOne && columns.contains(column) : column == key
        }

        /// The part whose first column this is: what its stamp is stored under.
        func part(startingAt column: Int) -> Int? {
            parts.isEmpty ? nil : parts.firstIndex { $0[0] == column }
        }
    }

    /// A merge policy in hub terms: which column it is about. Older forms beside it go with the winner.
    public enum MergeRule: Sendable, Hashable {
        case latest
        case greatest(column: Int)
        case least(column: Int)
        case union(column: Int, UnionOfElements)
        case sum(column: Int)

        /// What it is in a plan.
        package var policy: MergePolicy {
            switch self {
            case .latest: .latest
            case .greatest: .max
            case .least: .min
            case .union: .union
            case .sum: .counter
            }
        }
    }

    /// A to-one relationship in hub terms.
    public struct Reference: Sendable, Hashable {
        public let column: Int
        /// The entity referred to, as a place in `Hub.entities`.
        public let target: Int
        /// Whether the record goes when its target does: the inverse relationship cascades.
        public let diesWithTarget: Bool
        /// Whether the target goes when the record does: this relationship cascades.
        public let takesTargetAlong: Bool
        /// Whether the target cannot be deleted while there is the record: the inverse relationship denies.
        public let keepsTarget: Bool
        /// Whether the record cannot be deleted while there is its target: this relationship denies.
        public let isKeptByTarget: Bool
    }
}

/// The PostgreSQL type of a hub column.
public enum ColumnType: String, Sendable, Hashable {
    case boolean = "boolean"
    case bigint = "bigint"
    case double = "double precision"
    case numeric = "numeric"
    case text = "text"
    case timestamp = "timestamp with time zone"
    case uuid = "uuid"
    case bytes = "bytea"
    /// Not `jsonb`, which would not give back the text that it was given.
    case json = "json"

    /// Whether a value may be of any length. (A decimal has at most a thousand digits.)
    public var isLong: Bool {
        switch self {
        case .text, .bytes, .json: true
        case .boolean, .bigint, .double, .numeric, .timestamp, .uuid: false
        }
    }

    init(_ kind: AttributeType.Kind) {
        self =
            switch kind {
            case .bool: .boolean
            case .int: .bigint
            case .double: .double
            case .decimal: .numeric
            case .string, .enumeration: .text
            case .date: .timestamp
            case .uuid, .reference: .uuid
            case .data: .bytes
            case .array, .codable: .json
            }
    }
}

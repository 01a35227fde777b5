/// The structure of an app's tables: the newest version, plus everything that older supported versions still need.
///
/// There is one table for each entity, and one column for each attribute or older form of an attribute. An entity or
/// attribute counts as the same through all of its renamings, and its table or column keeps the first name. So a
/// renaming never touches SQL.
package struct Hub: Sendable {
    /// The PostgreSQL schema that holds the tables; the app's name.
    package let schema: String
    /// The entities, in the order in which the versions introduced them. A hub entity is referred to by its index in
    /// this list.
    package let entities: [HubEntity]
    /// By entity (its index in `entities`): the references to the entity's records. Each reference is given by the
    /// entity that declares it and by its index in that entity's `references`.
    package let referrers: [[(entity: Int, reference: Int)]]
    /// True if any relationship refuses the deletion of a record (delete rule `.deny`).
    package let hasDenials: Bool
    /// True if an entity has records whose ids are texts instead of UUIDs.
    package let hasTextIDs: Bool
    /// By entity, then by column: the index of the entity to which the column refers. Only references to entities with
    /// text ids have an entry.
    package let textTargets: [[Int: Int]]

    /// The names of the columns that every table has for the server's own use.
    package static var ownColumns: Set<String> { HubEntityBuilder.reservedColumns }

    init(schema: String, entities: [HubEntity]) {
        self.schema = schema
        self.entities = entities
        var referrers: [[(entity: Int, reference: Int)]] = Array(repeating: [], count: entities.count)
        for entity in entities {
            for (index, reference) in entity.references.enumerated() {
                referrers[reference.target].append((entity.index, index))
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

/// One entity, followed through all of its renamings: its table, its columns, and the references of its records.
package final class HubEntity: Sendable {
    /// The name that the entity had in the first version that has it. It stays the same when the entity is renamed.
    package let identity: String
    /// The entity's index in `Hub.entities`.
    package let index: Int
    package let table: String
    /// The id of the one record that each space has; `nil` for an entity with many records.
    ///
    /// The id is the same in every space, because records are identified by space and id together. So a device knows
    /// the id before it knows its space. Two devices that set up the same space offline make the same record, and their
    /// edits are merged.
    package let singleton: ID?
    /// The columns, in the order in which the versions introduced them. Columns are only ever added at the end, so a
    /// column's index never changes. The stamps of attributes are stored under these indices.
    package let columns: [Column]
    /// The to-one relationships, in the order of their columns.
    package let references: [Reference]
    /// The merge units: sets of columns that are merged as one. A unit has several columns if a stage of the plan links
    /// them. Every column is in exactly one unit.
    package let units: [MergeUnit]
    /// By column: the merge unit (set of columns that are merged as one) that contains the column, as an index in
    /// `units`.
    package let unitOfColumn: [Int]
    /// The columns that the newest version declares unique: no two records of a space, other than deleted ones, hold
    /// the same value in such a column.
    package let uniqueColumns: [Int]
    /// The columns whose values may be long. A push reads such a column only for the records whose change concerns it.
    /// At most 64 columns, none of them unique.
    package let largeColumns: [Int]
    /// By column: the column's bit in `RecordState.withheld`, which marks the large columns that were not read from the
    /// table. 0 for a column that is always read.
    package let largeBits: [UInt64]
    /// The merge units with parts, as indices in `units`. A part is an attribute with a stamp of its own: see
    /// `MergeUnit.parts`.
    package let unitsWithParts: [Int]
    /// True if the ids of the entity's records are texts in any version.
    package let hasTextIDs: Bool
    /// True if any attribute is a counter.
    package let hasCounters: Bool
    /// True if all columns are merged by the same policy: the edit with the latest stamp wins.
    package let keepsLatestOnly: Bool
    /// The bytes that store the stamps of a record whose values all have the same stamp, as in most records. See
    /// `StampSet.whole`.
    package let wholeStamps: [UInt8]
    /// The notes with which a new record's stamps begin, by column. They say that the entity's merge policies apply to
    /// all edits of the record: see `StampSet.floor`.
    let wholeNotes: [Int: Stamp]
    /// The merge units (sets of columns that are merged as one) in which several attributes of a version may share one
    /// stamp, as indices in `units`.
    package let unitsEditedAsOne: [Int]
    /// By column: the value in a record whose creator gave none, as the newest version that has the column declares it.
    /// If that default depends on the record, such as its time of creation, the entry is null for an optional
    /// attribute, otherwise the type's zero.
    package let standards: [Value]
    /// By column: the values that may be sent to clients, and their wire form. `nil` if the newest version that has the
    /// column does not read the column as it is, but converts it.
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
        for (bit, column) in largeColumns.enumerated() { bits[column] = 1 << UInt64(bit) }
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

    /// One column of an entity's table. It holds an attribute, even after the attribute was renamed, or an older form
    /// of an attribute for the clients of older versions.
    package struct Column: Sendable, Hashable {
        package let name: String
        package let type: ColumnType
        package let isNullable: Bool
        /// The oldest version that has the column, as an index in `Plan.schemas`. If a historical variant introduced
        /// the column, this is the version with the same number.
        package let introduced: Int
        /// The newest version that has the column, as an index in `Plan.schemas`.
        package let lastUsed: Int
    }

    /// A set of columns that are merged as one: one stamp, the time of the latest edit, covers them.
    package struct MergeUnit: Sendable, Hashable {
        package let columns: [Int]
        /// The rule that decides which edit of the columns wins.
        package let rule: MergeRule
        /// The columns of each part, which is an attribute with a stamp of its own. A unit has parts if a stage links
        /// one attribute (the whole) with several (the parts). Empty if one stamp is enough for the unit.
        package let parts: [[Int]]

        package init(columns: [Int], rule: MergeRule = .latest, parts: [[Int]] = []) {
            self.columns = columns
            self.rule = rule
            self.parts = parts
        }

        /// The index of the merge unit's first column. Stored stamps identify the unit by it.
        @inlinable
        package var key: Int { columns[0] }

        /// Returns the index in `parts` of the part that contains the column; `nil` if no part does. A part is an
        /// attribute of the merge unit with a stamp of its own.
        package func part(of column: Int) -> Int? {
            parts.isEmpty ? nil : parts.firstIndex { $0.contains(column) }
        }

        /// True if several attributes of a version may share the merge unit's one stamp. An edit of the unit need not
        /// set all of these attributes.
        var isEditedAsOne: Bool { parts.isEmpty && rule == .latest && columns.count > 2 }

        /// Returns true if a record's stored stamps may contain a note under this column. Notes are described at
        /// `StampSet`.
        func isNoted(under column: Int) -> Bool {
            rule == .latest ? isEditedAsOne && columns.contains(column) : column == key
        }

        /// Returns the part (an attribute of the unit with a stamp of its own) whose first column is `column`, as an
        /// index in `parts`; `nil` if there is none. Stored stamps identify a part by its first column.
        func part(startingAt column: Int) -> Int? {
            parts.isEmpty ? nil : parts.firstIndex { $0[0] == column }
        }
    }

    /// The rule by which edits of a merge unit are merged. A merge unit is a set of columns that are merged as one.
    ///
    /// Except for `latest`, the rule compares or combines the values of one column. The unit's other columns hold older
    /// forms of the attribute. They are set together with the winning edit.
    package enum MergeRule: Sendable, Hashable {
        case latest
        case greatest(column: Int)
        case least(column: Int)
        case union(column: Int, UnionOfElements)
        case sum(column: Int)

        /// The merge policy in a plan that leads to this rule, such as `.max` for `greatest`.
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

    /// A to-one relationship between hub entities.
    package struct Reference: Sendable, Hashable {
        package let column: Int
        /// The target entity, as an index in `Hub.entities`.
        package let target: Int
        /// True if deleting the target deletes the record too. The delete rule of the inverse relationship is then
        /// `.cascade`.
        package let diesWithTarget: Bool
        /// True if deleting the record deletes the target too. The relationship's own delete rule is then `.cascade`.
        package let takesTargetAlong: Bool
        /// True if the target cannot be deleted while the record exists. The delete rule of the inverse relationship is
        /// then `.deny`.
        package let keepsTarget: Bool
        /// True if the record cannot be deleted while its target exists. The relationship's own delete rule is then
        /// `.deny`.
        package let isKeptByTarget: Bool
    }
}

/// The PostgreSQL type of a hub column.
package enum ColumnType: String, Sendable, Hashable {
    case boolean = "boolean"
    case bigint = "bigint"
    case double = "double precision"
    case numeric = "numeric"
    case text = "text"
    case timestamp = "timestamp with time zone"
    case uuid = "uuid"
    case bytes = "bytea"
    /// Not `jsonb`, which would not return the text exactly as it was stored.
    case json = "json"

    /// True if a value of the type can have any length, such as a text. A decimal counts as short, because it has at
    /// most a thousand digits.
    package var isLong: Bool {
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

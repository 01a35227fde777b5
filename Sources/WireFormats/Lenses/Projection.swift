/// One version's lens for one entity, compiled flat against the hub: what a client of that version may see of a row,
/// and what its edits do to it.
///
/// A row is the values of `HubEntity.columns`, in their order. The cost of reading or writing a record depends on its
/// attributes only, not on how many versions lie between the client and the hub.
///
/// A class, as are its fields and `HubEntity`: they are compiled once and used for every record, and a copy of a struct
/// of this size is a dozen counted references.
public final class Projection: Sendable {
    /// The place of the version, or of the variant of one, in `Plan.shapes`.
    public let version: Int
    /// The place of the entity in `Hub.entities`.
    public let entity: Int
    /// The entity's name in this version.
    public let name: String
    /// The attribute that holds the record's id, where the version's model has one.
    public let identity: String?
    /// What ids are in this version.
    public let identityType: Schema.IdentityType
    /// In the order of the version's declaration.
    public let fields: [Field]
    /// Device-local attributes and to-many relationships: names that a client may know but must not send.
    public let localNames: Set<String>

    /// The names of `fields`, in their order.
    public let keys: JSONKeyTable

    /// Whether every field's column holds just what this version reads and says.
    public let isPlainCopy: Bool

    /// How many merge units its fields are in.
    public let unitCount: Int

    /// The references whose targets have texts for ids in this version, as places in `fields`.
    public let textReferences: [Int]
    /// Whether the version names anything by a text: its records, or what they refer to.
    public let hasTextIDs: Bool

    /// The column of each field.
    private let columnOfField: [Int]
    /// The row of a record of which nothing was said, before `creation`; null where `unsaid` has more to say.
    let beginning: [Value]
    /// The fields whose beginning depends on the record, or on a lens that fails.
    private let unsaid: [Field]
    /// Whether its fields, in their order, are the hub's columns as they are.
    private let isRow: Bool
    let creation: [CreationStep]
    /// To all other shapes, each after those on the way to it.
    let links: [Link]

    init(
        version: Int, entity: Int, name: String, identity: String?, identityType: Schema.IdentityType = .uuid,
        fields: [Field], localNames: Set<String>, columns: Int, creation: [CreationStep], links: [Link]
    ) {
        self.version = version
        self.entity = entity
        self.name = name
        self.identity = identity
        self.identityType = identityType
        self.fields = fields
        self.localNames = localNames
        keys = JSONKeyTable(fields.map(\.name))
        isPlainCopy = fields.allSatisfy(\.isPlainCopy) && Set(fields.map(\.column)).count == fields.count
        unitCount = Set(fields.map(\.unit)).count
        textReferences = fields.indices.filter { fields[$0].isTextReference }
        hasTextIDs = identityType == .string || !textReferences.isEmpty
        columnOfField = fields.map(\.column)
        var beginning = Array(repeating: Value.null, count: columns)
        for field in fields { beginning[field.column] = field.beginning ?? .null }
        self.beginning = beginning
        unsaid = fields.filter { $0.beginning == nil }
        isRow = isPlainCopy && creation.isEmpty && columnOfField.elementsEqual(beginning.indices)
        self.creation = creation
        self.links = links
    }

    /// One attribute or to-one relationship of the version, and where the hub keeps it.
    public final class Field: Sendable {
        public let name: String
        public let type: AttributeType
        /// What it is on the wire: `type`, but of a reference whatever its target's ids are in this version.
        public let wireType: AttributeType
        public let `default`: Default?
        /// What this version declares; the newest version's word counts, `HubEntity.MergeUnit.rule`.
        public let merge: MergePolicy
        /// The place of its column in `HubEntity.columns`.
        public let column: Int
        /// The merge unit of its column, as a place in `HubEntity.units`.
        public let unit: Int
        let steps: [ViewStep]
        /// What its column holds in a record of which nothing was said; `nil` where that depends on the record.
        let beginning: Value?
        /// What a client assumes of it that has said nothing; `nil` where the server cannot know.
        let assumed: Value?
        /// What may be sent of it.
        package let form: WireForm

        init(
            name: String, type: AttributeType, wireType: AttributeType? = nil, default: Default?, merge: MergePolicy,
            column: Int, unit: Int, steps: [ViewStep]
        ) {
            self.name = name
            self.type = type
            self.wireType = wireType ?? type
            form = WireForm(wireType ?? type)
            self.default = `default`
            self.merge = merge
            self.column = column
            self.unit = unit
            self.steps = steps
            let standard =
                `default` == nil ? type.unsaid : `default`?.constant(for: type.kind)
            beginning = standard.flatMap { try? steps.widened($0) }
            assumed = `default` == nil ? .null : standard
        }

        /// Whether it refers to a record whose id is a text in this version.
        public var isTextReference: Bool { wireType.kind != type.kind }

        /// Whether the column holds just what this version reads, so that reading is a copy.
        public var isPlainCopy: Bool { steps.isEmpty }

        /// What the version reads where the column holds `stored`; where its lens fails, what it reads where nothing
        /// was said.
        public func view(_ stored: Value) -> Value {
            (try? translated(stored)) ?? standard
        }

        /// What the version's lens makes of `stored`.
        public func translated(_ stored: Value) throws(LensFailure) -> Value {
            steps.isEmpty ? stored : try steps.narrowed(stored)
        }

        /// The default that does not depend on the record, null, or the type's zero.
        public var standard: Value { `default`?.constant(for: type.kind) ?? type.unsaid }

        /// Whether a create without it needs nothing from the client.
        public var isOmissible: Bool { type.isOptional || `default` != nil }
    }

    /// How one form of linked attributes follows from the other.
    struct Link: Sendable {
        let unit: Int
        let near: [Placement]
        let far: [Placement]
        let convert: ValueMapping.Translation
    }

    /// How a column that the creating version does not write gets its first value.
    enum CreationStep: Sendable {
        case fill(Placement, Default?, AttributeType, name: String)
        case copy(Placement, from: Placement)
        case link(Link)
    }

    /// The place in `fields` of the attribute called `name`.
    public func field(named name: String) -> Int? {
        name.withUTF8Span { keys.position(of: $0) }
    }

    /// Everything that this version sees of a row, in the order of `fields`.
    public func view(of row: [Value]) -> [Value] {
        fields.map { $0.view(row[$0.column]) }
    }
}

/// One edit of a patch: a field of a projection, and the value its version gives it.
public struct FieldEdit: Sendable, Hashable {
    /// A place in `Projection.fields`.
    public let field: Int
    public let value: Value

    public init(field: Int, value: Value) {
        self.field = field
        self.value = value
    }
}

extension Projection {
    /// Puts `edits` into `row`.
    ///
    /// An edit that equals this version's view leaves the column alone (`put(get(h), h) == h`, law 1), so an untouched
    /// value is never rewritten in a poorer form. A link carries a change on only where its near side reads differently
    /// than before.
    ///
    /// - Throws: where an edit cannot be written in every form; `row` is then of no use.
    public func put(_ edits: [FieldEdit], into row: inout [Value]) throws(LensFailure) {
        var before: [Value]?
        var touchedUnits: [Int] = []
        for edit in edits {
            let field = fields[edit.field]
            guard field.view(row[field.column]) != edit.value else { continue }
            if before == nil, !links.isEmpty { before = row }
            row[field.column] = try field.steps.widened(edit.value)
            touchedUnits.append(field.unit)
        }
        guard let before else { return }
        for link in links where touchedUnits.contains(link.unit) { try link.carry(from: before, into: &row) }
    }

    /// Writes `edits` into `row`, also those that say what this version reads there, and anew all other forms of what
    /// follows from them. Of attributes that stages link in several ways, the others keep what was written: where an
    /// edit says only some of those that a stage joins, what comes out as it was is not followed any further.
    ///
    /// - Throws: where an edit cannot be written in every form; `row` is then of no use.
    public func write(_ edits: [FieldEdit], into row: inout [Value]) throws(LensFailure) {
        var touched: [Int] = []
        for edit in edits {
            let field = fields[edit.field]
            row[field.column] = try field.steps.widened(edit.value)
            touched.append(field.column)
        }
        for link in links where link.near.contains(where: { touched.contains($0.column) }) {
            let isSaid = link.near.allSatisfy { touched.contains($0.column) }
            let before = isSaid ? [] : link.far.map { row[$0.column] }
            try link.fill(&row)
            let columns = link.far.map(\.column)
            touched += isSaid ? columns : zip(columns, before).filter { row[$0] != $1 }.map(\.0)
        }
    }

    /// The row of a record that this version creates: `edits`, and for everything else the defaults that each version
    /// would have given it.
    public func create(
        _ edits: FieldEdits, id: ID, createdAt: Timestamp
    ) throws(LensFailure) -> [Value] {
        if isRow, edits.count == fields.count, let row = edits.inOrder { return row }
        let record = RecordContext(id: id, createdAt: createdAt)
        var row = beginning
        // A creation that says everything needs no default.
        for field in edits.count < fields.count ? unsaid : [] {
            let standard = field.default.value(for: field.type, named: field.name, in: record)
            row[field.column] = try field.steps.widened(standard)
        }
        for edit in edits {
            row[columnOfField[edit.field]] =
                isPlainCopy ? edit.value : try fields[edit.field].steps.widened(edit.value)
        }
        for step in creation {
            switch step {
            case .fill(let place, let standard, let type, let name):
                row[place.column] = try place.steps.widened(standard.value(for: type, named: name, in: record))
            case .copy(let place, let source):
                row[place.column] = try place.steps.widened(source.read(row))
            case .link(let link):
                try link.fill(&row)
            }
        }
        return row
    }

    public func create(_ edits: [FieldEdit], id: ID, createdAt: Timestamp) throws(LensFailure) -> [Value] {
        try create(FieldEdits(edits), id: id, createdAt: createdAt)
    }

    /// What a client of this version assumes of a record that it created with `edits` only; `nil` for a field whose
    /// default depends on the record, because the server cannot know what the client put there.
    public func assumed(_ edits: FieldEdits) -> [Value?] {
        var values = edits.count < fields.count ? fields.map(\.assumed) : Array(repeating: nil, count: fields.count)
        for edit in edits { values[edit.field] = edit.value }
        return values
    }
}

extension Projection.Link {
    /// What was there before may be what no lens can read; then anything else is a change of it.
    fileprivate func carry(from before: [Value], into row: inout [Value]) throws(LensFailure) {
        let now = try read(row)
        if let before = try? read(before), now == before { return }
        for (place, value) in zip(far, try convert(now)) {
            if let there = try? place.read(row), there == value { continue }
            row[place.column] = try place.steps.widened(value)
        }
    }

    fileprivate func fill(_ row: inout [Value]) throws(LensFailure) {
        for (place, value) in zip(far, try convert(read(row))) {
            row[place.column] = try place.steps.widened(value)
        }
    }

    private func read(_ row: [Value]) throws(LensFailure) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(near.count)
        for place in near { values.append(try place.read(row)) }
        return values
    }
}

package import StrictJSON

/// One version's lens for one entity, compiled flat against the hub: the part of a row that a client of the version may
/// see, and the effect of the client's edits on the row.
///
/// A row is the values of `HubEntity.columns`, in their order. The cost of reading or writing a record depends only on
/// the number of its attributes, not on the number of versions between the client and the hub.
///
/// A class, as are its fields and `HubEntity`: they are compiled once and used for every record, and copying a struct
/// of this size would update a dozen reference counts.
package final class Projection: Sendable {
    /// The index in `Plan.shapes` of the version or variant.
    package let version: Int
    /// The index of the entity in `Hub.entities`.
    package let entity: Int
    /// The entity's name in this version.
    package let name: String
    /// The attribute that holds the record's id; `nil` if the version's model has none.
    package let identity: String?
    /// The type of ids in this version.
    package let identityType: Schema.IdentityType
    /// The fields, in the order of the version's declaration.
    package let fields: [Field]
    /// The device-local attributes and to-many relationships: names that a client may know but must not send.
    package let localNames: Set<String>

    /// The names of `fields`, in their order.
    package let keys: JSONKeyTable

    /// True if every field's column holds exactly the value that this version reads and writes.
    package let isPlainCopy: Bool

    /// The number of merge units that contain the projection's fields.
    package let unitCount: Int

    /// The references whose targets have texts for ids in this version, as indices in `fields`.
    package let textReferences: [Int]
    /// True if the version has texts for the ids of its records, or of the records that they refer to.
    package let hasTextIDs: Bool

    /// The column of each field.
    private let columnOfField: [Int]
    /// The row of a record with no value given, before the steps of `creation`; null where a field in `unsaid`
    /// determines the value.
    let beginning: [Value]
    /// The fields whose initial value depends on the record, or on a lens that fails.
    private let unsaid: [Field]
    /// True if the fields, in their order, are exactly the hub's columns.
    private let isRow: Bool
    let creation: [CreationStep]
    /// The links to all other shapes, in an order in which each comes after the links on the path to it.
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

    /// One attribute or to-one relationship of the version, with its column in the hub.
    package final class Field: Sendable {
        package let name: String
        package let type: AttributeType
        /// The field's type on the wire: `type`, except that a reference has the type of its target's ids in this
        /// version.
        package let wireType: AttributeType
        package let `default`: Default?
        /// The merge policy that this version declares. The newest version's policy applies,
        /// `HubEntity.MergeUnit.rule`.
        package let merge: MergePolicy
        /// The index of the field's column in `HubEntity.columns`.
        package let column: Int
        /// The merge unit of the field's column, as an index in `HubEntity.units`.
        package let unit: Int
        let steps: [ViewStep]
        /// The column's value in a record for which no value was given; `nil` if it depends on the record.
        let beginning: Value?
        /// The value that a client assumes for the field if it sent none; `nil` if the server cannot know it.
        let assumed: Value?
        /// The values that may be sent for the field, and their wire form.
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

        /// True if the field refers to a record whose id is a text in this version.
        package var isTextReference: Bool { wireType.kind != type.kind }

        /// True if the column holds exactly the value that this version reads, so that reading is a copy.
        package var isPlainCopy: Bool { steps.isEmpty }

        /// The value that the version reads if the column holds `stored`. If the version's lens fails, the value that
        /// it reads when none was given.
        package func view(_ stored: Value) -> Value {
            (try? translated(stored)) ?? standard
        }

        /// Translates `stored` by the version's lens.
        package func translated(_ stored: Value) throws(LensFailure) -> Value {
            steps.isEmpty ? stored : try steps.narrowed(stored)
        }

        /// The default if it does not depend on the record, otherwise null or the type's zero.
        package var standard: Value { `default`?.constant(for: type.kind) ?? type.unsaid }

        /// True if a client may create a record without a value for the field.
        package var isOmissible: Bool { type.isOptional || `default` != nil }
    }

    /// A rule that computes one form of linked attributes from the other form.
    struct Link: Sendable {
        let unit: Int
        let near: [Placement]
        let far: [Placement]
        let convert: ValueMapping.Translation
    }

    /// A step that gives a first value to a column that the creating version does not write.
    enum CreationStep: Sendable {
        case fill(Placement, Default?, AttributeType, name: String)
        case copy(Placement, from: Placement)
        case link(Link)
    }

    /// The index in `fields` of the attribute called `name`.
    package func field(named name: String) -> Int? {
        name.withUTF8Span { keys.position(of: $0) }
    }

    /// The values of a row that this version reads, in the order of `fields`.
    package func view(of row: [Value]) -> [Value] {
        fields.map { $0.view(row[$0.column]) }
    }
}

/// One edit in a change: a field of a projection, and the value that its version gives the field.
package struct FieldEdit: Sendable, Hashable {
    /// An index in `Projection.fields`.
    package let field: Int
    package let value: Value

    @inlinable
    package init(field: Int, value: Value) {
        self.field = field
        self.value = value
    }
}

extension Projection {
    /// Applies `edits` to `row`.
    ///
    /// An edit that equals this version's view leaves the column alone (`put(get(h), h) == h`, law 1), so an untouched
    /// value is never rewritten in a poorer form. A link converts a change to its far side only if its near side reads
    /// differently than before.
    ///
    /// - Throws: `LensFailure` if an edit cannot be written in every form; `row` is then unusable.
    package func put(_ edits: [FieldEdit], into row: inout [Value]) throws(LensFailure) {
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

    /// Writes `edits` into `row`, including edits that equal the current view, and computes again all other forms that
    /// follow from them. Where stages link attributes in several ways, the other attributes keep what was written: if
    /// an edit sets only some of the attributes that a stage joins, a result that equals its old value is not followed
    /// any further.
    ///
    /// - Throws: `LensFailure` if an edit cannot be written in every form; `row` is then unusable.
    package func write(_ edits: [FieldEdit], into row: inout [Value]) throws(LensFailure) {
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

    /// Makes the row of a record that this version creates: `edits`, and for everything else the defaults that each
    /// version would have given.
    package func create(
        _ edits: FieldEdits, id: ID, createdAt: Timestamp
    ) throws(LensFailure) -> [Value] {
        if isRow, edits.count == fields.count, let row = edits.inOrder { return row }
        let record = RecordContext(id: id, createdAt: createdAt)
        var row = beginning
        // A creation that sets every field needs no default.
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
            case .fill(let placement, let standard, let type, let name):
                row[placement.column] = try placement.steps.widened(standard.value(for: type, named: name, in: record))
            case .copy(let placement, let source):
                row[placement.column] = try placement.steps.widened(source.read(row))
            case .link(let link):
                try link.fill(&row)
            }
        }
        return row
    }

    package func create(_ edits: [FieldEdit], id: ID, createdAt: Timestamp) throws(LensFailure) -> [Value] {
        try create(FieldEdits(edits), id: id, createdAt: createdAt)
    }

    /// The values that a client of this version assumes of a record that it created with `edits` only; `nil` for a
    /// field whose default depends on the record, because the server cannot know the client's value.
    package func assumed(_ edits: FieldEdits) -> [Value?] {
        var values = edits.count < fields.count ? fields.map(\.assumed) : Array(repeating: nil, count: fields.count)
        for edit in edits { values[edit.field] = edit.value }
        return values
    }
}

extension Projection.Link {
    /// Converts the near side to the far side if the near side has changed. If no lens can read the old near side,
    /// every readable value counts as a change.
    fileprivate func carry(from before: [Value], into row: inout [Value]) throws(LensFailure) {
        let now = try read(row)
        if let before = try? read(before), now == before { return }
        for (placement, value) in zip(far, try convert(now)) {
            if let there = try? placement.read(row), there == value { continue }
            row[placement.column] = try placement.steps.widened(value)
        }
    }

    fileprivate func fill(_ row: inout [Value]) throws(LensFailure) {
        for (placement, value) in zip(far, try convert(read(row))) {
            row[placement.column] = try placement.steps.widened(value)
        }
    }

    private func read(_ row: [Value]) throws(LensFailure) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(near.count)
        for placement in near { values.append(try placement.read(row)) }
        return values
    }
}

package import StrictJSON

/// Translates between the records of one version and the rows of a table, for one entity. It computes the values that a
/// client of the version reads from a row, and the effect of the client's edits on the row.
///
/// A row is the values of `HubEntity.columns`, in their order. The cost of reading or writing a record depends only on
/// the number of its attributes, not on the number of versions between the client and the hub (the structure of the
/// server's tables).
///
/// It is a class, because it is compiled once and used for every record. Copying a struct of this size would update a
/// dozen reference counts.
package final class Projection: Sendable {
    /// The version or historical variant whose lens this is, as an index in `Plan.shapes`.
    package let version: Int
    /// The index of the entity in `Hub.entities`.
    package let entity: Int
    /// The entity's name in this version.
    package let name: String
    /// The attribute that holds the record's id; `nil` if the version's model has none.
    package let identity: String?
    /// The type of the records' ids in this version.
    package let identityType: Schema.IdentityType
    /// The fields, in the order of the version's declaration.
    package let fields: [Field]
    /// The names of device-local attributes and to-many relationships. A client may know them but must not send them.
    package let localNames: Set<String>

    /// The names of `fields`, in their order.
    package let keys: JSONKeyTable

    /// True if every field's column holds exactly the value that this version reads and writes.
    package let isPlainCopy: Bool

    /// The number of merge units (sets of columns that are merged as one) that contain the projection's fields.
    package let unitCount: Int

    /// The fields that refer to entities whose ids are texts in this version, as indices in `fields`.
    package let textReferences: [Int]
    /// True if in this version the records' own ids are texts, or the ids of records that they refer to.
    package let hasTextIDs: Bool

    /// The column of each field, as an index in `HubEntity.columns`.
    private let columnOfField: [Int]
    /// The row of a new record before its first edit: the initial values of this version's fields, by column. A field
    /// without a constant initial value (`unsaid`) is still null and gets its value later. So do the columns that this
    /// version does not have: the steps in `creation` set them.
    let beginning: [Value]
    /// The fields that have no constant initial value, because it depends on the record, or because the lens fails to
    /// convert it.
    private let unsaid: [Field]
    /// True if the version's fields are exactly the table's columns, in the same order.
    private let isRow: Bool
    let creation: [CreationStep]
    /// The conversions from this version's attributes to their forms in all other versions and historical variants, in
    /// the order in which they are applied. A conversion comes after those whose results it reads.
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
        /// The field's type on the wire. It is `type`, except for a reference: that has the type of its target's ids in
        /// this version.
        package let wireType: AttributeType
        package let `default`: Default?
        /// The merge policy that this version declares. The server does not use it, but merges by the newest version's
        /// policy: see `HubEntity.MergeUnit.rule`.
        package let merge: MergePolicy
        /// The index of the field's column in `HubEntity.columns`.
        package let column: Int
        /// The merge unit that contains the field's column, as an index in `HubEntity.units`. A merge unit is a set of
        /// columns that are merged as one.
        package let unit: Int
        let steps: [ViewStep]
        /// The column's initial value in a record that is created without a value for the field. `nil` if it depends on
        /// the record, or if the default cannot be converted to the column's form.
        let beginning: Value?
        /// The value that a client has for the field in a record that it created without a value for it. `nil` if it
        /// depends on the record, so that the server cannot know it.
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

        /// The value that the version reads if the column contains `stored`. If the stored value cannot be converted,
        /// the version reads `standard`, its value for a record that was created without one.
        package func view(_ stored: Value) -> Value {
            (try? translated(stored)) ?? standard
        }

        /// The value that the version reads if the column contains `stored`.
        ///
        /// - Throws: `LensFailure` if the version's lens cannot convert it.
        package func translated(_ stored: Value) throws(LensFailure) -> Value {
            steps.isEmpty ? stored : try steps.narrowed(stored)
        }

        /// The field's default, if it does not depend on the record. Otherwise null for an optional field, and the
        /// type's zero, such as `0`, for a required one.
        package var standard: Value { `default`?.constant(for: type.kind) ?? type.unsaid }

        /// True if a client may create a record without a value for the field.
        package var isOmissible: Bool { type.isOptional || `default` != nil }
    }

    /// A conversion that is applied after this version's edits. It computes the attributes in `far` from those in
    /// `near`. The stages lead from the editing version to `near`, and from there to `far`.
    struct Link: Sendable {
        let unit: Int
        let near: [Placement]
        let far: [Placement]
        let convert: ValueMapping.Translation
    }

    /// A step that gives a new record its initial values in columns that the creating version does not have.
    enum CreationStep: Sendable {
        case fill(Placement, Default?, AttributeType, name: String)
        case copy(Placement, from: Placement)
        case link(Link)
    }

    /// The index in `fields` of the attribute called `name`; `nil` if there is none.
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
    /// The index of the field in `Projection.fields`.
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
    /// An edit that repeats the value that this version already reads changes nothing (`put(get(h), h) == h`, law 1).
    /// So a value that nobody changes is never overwritten by a form that expresses less. A conversion to another
    /// version's form runs only if a value on this version's side of it has changed.
    ///
    /// - Throws: `LensFailure` if an edit cannot be converted to every form in which the row stores the attribute.
    ///   `row` is then unusable.
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

    /// Writes `edits` into `row`, even those that repeat the current value. Then recomputes the other versions' forms
    /// of the edited attributes.
    ///
    /// The edited attributes keep the written values. A stage may join several attributes into one. If an edit sets
    /// only some of them and the joined value stays the same, the forms that are computed from it are not recomputed.
    ///
    /// - Throws: `LensFailure` if an edit cannot be converted to every form in which the row stores the attribute.
    ///   `row` is then unusable.
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

    /// Makes the row of a record that this version creates. A column that `edits` do not set gets its attribute's
    /// default, as a version that has the attribute declares it.
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

    /// Returns the value of each field in a record that a client has created with `edits` only. `nil` for a field that
    /// has no edit and whose default depends on the record, because the server cannot know the client's value.
    package func assumed(_ edits: FieldEdits) -> [Value?] {
        var values = edits.count < fields.count ? fields.map(\.assumed) : Array(repeating: nil, count: fields.count)
        for edit in edits { values[edit.field] = edit.value }
        return values
    }
}

extension Projection.Link {
    /// Computes the link's target attributes (`far`) again, if one of its source attributes (`near`) has changed since
    /// `before`. If the sources could not be read before, they count as changed.
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

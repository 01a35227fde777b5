/// The place where a version finds an attribute: a column of the hub, and the steps from the column's value to the
/// value that the version reads.
struct Placement: Sendable {
    let column: Int
    var steps: [ViewStep]

    func read(_ row: [Value]) throws(LensFailure) -> Value {
        steps.isEmpty ? row[column] : try steps.narrowed(row[column])
    }
}

/// Builds one entity's table shape by shape, in the order in which the table grew. Columns are only ever added.
struct HubEntityBuilder {
    let identity: String
    /// The shape that introduced the entity.
    let first: Int
    private(set) var columns: [HubEntity.Column] = []
    /// The attributes of each shape by their names in that shape; empty if the shape does not have the entity.
    private(set) var history: [[String: Placement]]
    private(set) var joints: [Joint] = []
    /// The version whose number each shape has.
    private let versions: [Int]
    /// The shape that is being built. `current` holds its attributes so far, and `origin` is the shape that it follows.
    private var shape: Int
    private var current: [String: Placement] = [:]
    private var origin: Int

    struct Joint {
        /// The shapes on the two sides of the operation.
        let older: Int
        let newer: Int
        let operation: ConvertAttributes
    }

    /// The columns that every table has for the server's own use. An attribute with such a name gets a suffix.
    static let reservedColumns: Set<String> = [
        "space_id", "id", "seq", "alive", "stamp", "stamps", "born", "died", "device", "seen", "since", "dangling",
    ]

    /// - Parameters:
    ///   - first: the shape that introduces the entity.
    ///   - versions: the version whose number each shape has.
    init(_ entity: Schema.Entity, in first: Int, versions: [Int]) {
        identity = entity.name
        self.first = first
        self.versions = versions
        (shape, origin) = (first, first)
        history = Array(repeating: [:], count: versions.count)
        for field in entity.fields { add(field) }
        history[first] = current
    }

    /// Applies the operations that lead from one shape to another, which is not built yet.
    mutating func advance(from origin: Int, to shape: Int, by operations: [any LensOperation]) {
        (self.origin, self.shape) = (origin, shape)
        current = [:]
        for operation in operations { operation.place(in: &self) }
        history[shape] = current
    }

    mutating func add(_ attribute: Schema.Attribute) {
        current[attribute.name] = Placement(column: newColumn(for: attribute), steps: [])
    }

    /// Does nothing: the column stays for the versions that have the attribute.
    func retire(_ name: String) {}

    mutating func join(_ operation: ConvertAttributes) {
        joints.append(Joint(older: origin, newer: shape, operation: operation))
        for attribute in operation.to { add(attribute) }
    }

    mutating func carry(_ operation: CarryAttribute) {
        let before = history[origin][operation.from.name]!
        // If the newer version is richer than a view that is already computed, one column cannot serve both: the newer
        // version gets its own.
        if !operation.olderSteps.isEmpty, !before.steps.isEmpty {
            return join(operation.asConversion)
        }
        if !operation.olderSteps.isEmpty {
            enrich(before.column, to: operation.to.type, keeping: operation.from.type, olderSteps: operation.olderSteps)
        }
        touch(before.column)
        current[operation.to.name] = Placement(column: before.column, steps: before.steps + operation.newerSteps)
    }

    /// Gives a column the richer form. Every earlier shape then reads the column through `olderSteps`. This is right
    /// for all of them, also for the versions after the one whose variant is being built, because the shape that the
    /// variant follows read the column plainly: whatever any of them does with the column, it did with that shape's
    /// value.
    private mutating func enrich(
        _ column: Int, to type: AttributeType, keeping old: AttributeType, olderSteps: [ViewStep]
    ) {
        for shape in history.indices {
            for (name, placement) in history[shape] where placement.column == column {
                history[shape][name] = Placement(column: column, steps: olderSteps + placement.steps)
            }
        }
        let was = columns[column]
        columns[column] = HubEntity.Column(
            name: was.name, type: ColumnType(type.kind),
            isNullable: was.isNullable || type.isOptional || old.isOptional,
            introduced: was.introduced, lastUsed: was.lastUsed)
    }

    private mutating func touch(_ column: Int) {
        let was = columns[column]
        columns[column] = HubEntity.Column(
            name: was.name, type: was.type, isNullable: was.isNullable, introduced: was.introduced,
            lastUsed: max(was.lastUsed, versions[shape]))
    }

    private mutating func newColumn(for attribute: Schema.Attribute) -> Int {
        let version = versions[shape]
        let name = snakeCase(attribute.name, version: version) { name in
            HubEntityBuilder.reservedColumns.contains(name) || columns.contains { $0.name == name }
        }
        columns.append(
            HubEntity.Column(
                name: name, type: ColumnType(attribute.type.kind), isNullable: attribute.type.isOptional,
                introduced: version, lastUsed: version))
        return columns.count - 1
    }
}

extension CarryAttribute {
    /// The same operation with a column for each side.
    fileprivate var asConversion: ConvertAttributes {
        let (olderSteps, newerSteps) = (olderSteps, newerSteps)
        return ConvertAttributes(
            from: [from], to: [to],
            mapping: ValueMapping(
                name: "view", fidelity: .lossy, older: from.type, newer: to.type,
                up: { value throws(LensFailure) in try newerSteps.narrowed(olderSteps.widened(value)) },
                down: { value throws(LensFailure) in try olderSteps.narrowed(newerSteps.widened(value)) }))
    }
}

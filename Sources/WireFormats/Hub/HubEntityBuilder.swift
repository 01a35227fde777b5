/// The place where an attribute of one version is stored: a column, and the steps that convert the column's value to
/// the value that the version reads.
struct Placement: Sendable {
    let column: Int
    var steps: [ViewStep]

    func read(_ row: [Value]) throws(LensFailure) -> Value {
        steps.isEmpty ? row[column] : try steps.narrowed(row[column])
    }
}

/// Builds the table of one entity by adding the columns of one shape (version or historical variant) after the other.
/// No column is ever removed.
struct HubEntityBuilder {
    let identity: String
    /// The first version or historical variant that has the entity, as an index in `Plan.shapes`.
    let first: Int
    private(set) var columns: [HubEntity.Column] = []
    /// The placement of each attribute: by shape (version or historical variant), then by the attribute's name in that
    /// shape. Empty for a shape that does not have the entity.
    private(set) var history: [[String: Placement]]
    private(set) var joints: [Joint] = []
    /// By shape (version or historical variant): the index of the version with the same number. A version has its own
    /// index.
    private let versions: [Int]
    /// The version or historical variant whose columns are being added, as an index in `Plan.shapes`.
    private var shape: Int
    private var current: [String: Placement] = [:]
    private var origin: Int

    struct Joint {
        /// The version or historical variant before the operation, as an index in `Plan.shapes`.
        let older: Int
        let newer: Int
        let operation: ConvertAttributes
    }

    /// The names of the columns that every table has for the server's own use. The column of an attribute with such a
    /// name gets a suffix.
    static let reservedColumns: Set<String> = [
        "space_id", "id", "seq", "alive", "stamp", "stamps", "born", "died", "device", "seen", "since", "dangling",
    ]

    /// Begins the table with the columns of the first shape (version or historical variant) that has the entity.
    ///
    /// - Parameters:
    ///   - first: the shape that introduces the entity.
    ///   - versions: by shape: the index of the version with the same number.
    init(_ entity: Schema.Entity, in first: Int, versions: [Int]) {
        identity = entity.name
        self.first = first
        self.versions = versions
        (shape, origin) = (first, first)
        history = Array(repeating: [:], count: versions.count)
        for field in entity.fields { add(field) }
        history[first] = current
    }

    /// Adds the columns of one more shape to the table, by applying the operations of the stage that leads to it. A
    /// shape is a version or a historical variant.
    ///
    /// - Parameters:
    ///   - origin: the shape before the stage, whose columns are in the table already.
    ///   - shape: the shape after the stage.
    mutating func advance(from origin: Int, to shape: Int, by operations: [any LensOperation]) {
        (self.origin, self.shape) = (origin, shape)
        current = [:]
        for operation in operations { operation.place(in: &self) }
        history[shape] = current
    }

    mutating func add(_ attribute: Schema.Attribute) {
        current[attribute.name] = Placement(column: newColumn(for: attribute), steps: [])
    }

    /// Does nothing when a version removes an attribute: the column is kept for the versions that have the attribute.
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

    /// Changes a column to the richer type that the newer shape declares. All earlier shapes (versions and historical
    /// variants) then apply `olderSteps` to the column's value before their own steps.
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
    /// The same change as a conversion that stores each version's form of the attribute in a column of its own.
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

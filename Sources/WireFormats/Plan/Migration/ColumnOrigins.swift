/// The sources of the values in the columns that one version or historical variant adds to a table. Existing records
/// are filled from these sources.
struct ColumnOrigins {
    /// The source of the values of a new column.
    enum Origin {
        case constant(Value)
        /// The time at which the record was created.
        case creation
        /// An id derived from the record's id and from the attribute's name. It is the name in the version that
        /// introduced the attribute.
        case derivedID(name: String)
        /// A value that only a conversion in Swift can compute: a description of the conversion, and the attributes
        /// that it reads.
        case computed(by: String, from: [String])
    }

    private var byColumn: [Int: Origin] = [:]

    /// Collects the sources of one entity's columns.
    ///
    /// - Parameters:
    ///   - shape: an index in `Plan.shapes`.
    ///   - projection: the entity's projection; `nil` if the shape no longer has the entity.
    init(_ plan: Plan, shape: Int, _ projection: Projection?) {
        guard shape > 0, let projection else { return }
        let step = plan.stages[shape - 1].entities.first { $0.newer == projection.name }
        let before = step?.older.flatMap { plan.projection(version: plan.tree.origin(of: shape - 1), named: $0) }
        let table = plan.hub.entities[projection.entity]
        for field in projection.fields {
            guard let operation = step?.operations.first(where: { $0.newer.contains(field.name) }) else { continue }
            let sources = operation.older.compactMap { name in
                before?.fields.first { $0.name == name }.map { table.columns[$0.column].name }
            }
            byColumn[field.column] = Self.origin(of: field, by: operation, from: sources)
        }
    }

    /// The source of a column's values, as this version or historical variant computes them; `nil` if it does not have
    /// the column. A migration uses the sources of the shape that introduced the column.
    subscript(column: Int) -> Origin? { byColumn[column] }

    private static func origin(
        of field: Projection.Field, by operation: any LensOperation, from sources: [String]
    ) -> Origin {
        guard let added = operation as? AddAttribute else { return .computed(by: operation.summary, from: sources) }
        switch added.attribute.default {
        case nil: return .constant(field.type.isOptional ? .null : field.type.kind.zero)
        case .creation: return .creation
        case .newID: return .derivedID(name: added.attribute.name)
        case let standard?:
            return standard.constant(for: field.type.kind).map { .constant($0) }
                ?? .computed(by: "\(field.name) = \(standard.brief)", from: ["id"])
        }
    }
}

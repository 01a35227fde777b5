import Testing

@testable import WireFormats

/// Clients of a plan's versions that read each other's records, without a server. Versions are indices into the plan.
struct PlanClient {
    let plan: Plan
    let createdAt = Timestamp(microseconds: 1_763_640_000_000_000)

    func create(_ entity: String, in version: Int, _ fields: [String: Value] = [:]) throws -> [Value] {
        let projection = try projection(entity, version)
        return try projection.create(
            edits(fields, projection), id: ID(high: 1, low: 2), createdAt: createdAt)
    }

    func put(_ entity: String, in version: Int, _ fields: [String: Value], _ row: inout [Value]) throws {
        let projection = try projection(entity, version)
        try projection.put(edits(fields, projection), into: &row)
    }

    func read(_ entity: String, in version: Int, _ row: [Value], _ names: String...) throws -> [Value] {
        let projection = try projection(entity, version)
        let view = projection.view(of: row)
        return try names.map { view[try #require(projection.field(named: $0))] }
    }

    func projection(_ entity: String, _ version: Int) throws -> Projection {
        try #require(plan.projection(version: version, named: entity))
    }

    private func edits(_ fields: [String: Value], _ projection: Projection) throws -> [FieldEdit] {
        try fields.map { FieldEdit(field: try #require(projection.field(named: $0)), value: $1) }
    }
}

extension Hub {
    /// Returns the columns of a table, each in one line with the numbers of the versions that have it.
    func columns(of table: String) throws -> [String] {
        let entity = try #require(entities.first { $0.table == table })
        return entity.columns.map {
            "\($0.name) \($0.type.rawValue)\($0.isNullable ? "" : " not null") \($0.introduced + 1)-\($0.lastUsed + 1)"
        }
    }
}

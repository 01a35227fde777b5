import StrictJSON

/// An attribute or relationship as text, for comparing two versions.
package struct SchemaMember: Hashable, Sendable {
    package let name: String
    /// The type as text: `Double?`, `enum MealType (breakfast, other)`, `[→SDMeal], cascade, inverse userProfile`.
    package let type: String
    /// The default as text; `nil` if the declaration has none.
    package let `default`: String?
    package let scope: Schema.Scope

    init(
        _ name: String, _ type: AttributeType, default standard: Default?, scope: Schema.Scope = .synced,
        unit: String? = nil, isUnique: Bool = false, merge: MergePolicy = .latest
    ) {
        self.name = name
        self.type =
            type.kind.spelledOut + (type.isOptional ? "?" : "") + (unit.map { " (\($0))" } ?? "")
            + (isUnique ? ", unique" : "") + (merge == .latest ? "" : ", merge \(merge.rawValue)")
        self.default = standard?.brief
        self.scope = scope
    }

    package init(_ attribute: Schema.Attribute) {
        self.init(
            attribute.name, attribute.type, default: attribute.default, scope: attribute.scope, unit: attribute.unit,
            isUnique: attribute.isUnique, merge: attribute.merge)
    }

    init(_ field: Projection.Field) {
        self.init(field.name, field.type, default: field.default)
    }

    package init(_ relationship: Schema.Relationship) {
        let target = relationship.cardinality == .toOne ? "→\(relationship.target)?" : "[→\(relationship.target)]"
        name = relationship.name
        type =
            target + (relationship.deleteRule == .nullify ? "" : ", \(relationship.deleteRule.rawValue)")
            + (relationship.inverse.map { ", inverse \($0)" } ?? "")
        self.default = nil
        scope = .synced
    }

    init(identity name: String, _ identityType: Schema.IdentityType) {
        self.name = name
        type = identityType == .uuid ? "the record's id" : "the record's id, a String"
        self.default = nil
        scope = .synced
    }
}

extension SchemaMember: CustomStringConvertible {
    package var description: String {
        "\(name): \(type)" + (self.default.map { " = \($0)" } ?? "") + (scope == .local ? ", on the device only" : "")
    }
}

extension Schema.Entity {
    /// All members of the entity in declared order: the identity, the attributes, the relationships.
    package var members: [SchemaMember] {
        (identity.map { [SchemaMember(identity: $0, identityType)] } ?? []) + attributes.map { SchemaMember($0) }
            + relationships.map { SchemaMember($0) }
    }

    /// The record's id and the device-local attributes. A change does not contain them in its `fields`.
    var stayingMembers: [SchemaMember] {
        (identity.map { [SchemaMember(identity: $0, identityType)] } ?? [])
            + attributes.filter { $0.scope == .local }.map { SchemaMember($0) }
    }

    /// The declared attribute or relationship that is sent as `field`.
    func member(_ field: Projection.Field) -> SchemaMember {
        attribute(field.name).map { SchemaMember($0) }
            ?? relationships.first { $0.cardinality == .toOne && $0.name == field.name }.map { SchemaMember($0) }
            ?? SchemaMember(field)
    }
}

extension AttributeType.Kind {
    /// The type's `description`, with the cases of an enumeration listed.
    var spelledOut: String {
        switch self {
        case .enumeration(let name, let cases): "enum \(name) (\(cases.joined(separator: ", ")))"
        case .array(let element): "[\(element.spelledOut)]"
        case .bool, .int, .double, .decimal, .string, .date, .uuid, .data, .codable, .reference: description
        }
    }
}

extension Default {
    /// The default as a declaration writes it: `"pending"`, `0`, `now`.
    var brief: String {
        switch self {
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): JSONWriter.text { $0.string(value) }
        case .json(let value): value
        case .creation: "the time of creation"
        case .newID: "an id of its own"
        case .attribute(let name): "what ‘\(name)’ holds"
        }
    }
}

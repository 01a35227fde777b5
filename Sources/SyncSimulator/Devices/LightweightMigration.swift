package import WireFormats

/// The migration of an app's stored records when the app is updated. It does only what the server may rely on:
/// SwiftData's lightweight migration from version to version, without any code of the app.
///
/// It uses only the names, types and defaults that the versions declare, and not the hub (the shape of the server's
/// tables). `Content` is the store's representation of a value.
package struct LightweightMigration<Content: Sendable> {
    /// The stored values: by entity name, then by record id, then by attribute name.
    package typealias Store = [String: [String: [String: Content]]]

    private let plan: Plan
    private let content: @Sendable (Value) -> Content
    private let isNull: @Sendable (Content) -> Bool

    package init(
        _ plan: Plan, content: @escaping @Sendable (Value) -> Content, isNull: @escaping @Sendable (Content) -> Bool
    ) {
        self.plan = plan
        self.content = content
        self.isNull = isNull
    }

    package func migrated(_ store: Store, from older: Int, to newer: Int) -> Store {
        (older..<newer).reduce(store) { store, stage in migrated(store, from: stage) }
    }

    private func migrated(_ store: Store, from older: Int) -> Store {
        var result: Store = [:]
        for projection in plan.projections[older + 1].compactMap({ $0 }) {
            guard let entity = plan.schemas[older + 1].entity(projection.name) else { continue }
            let name = entity.originalName ?? entity.name
            guard let records = store[name], let before = plan.schemas[older].entity(name) else { continue }
            let defaults = projection.assumed([]).map { content($0 ?? .null) }
            result[entity.name] = records.mapValues { record in
                let fields = zip(entity.fields, defaults).map { field, standard in
                    (field.name, value(of: field, in: record, before) ?? standard)
                }
                return Dictionary(uniqueKeysWithValues: fields)
            }
        }
        return result
    }

    /// Returns the record's value of an attribute, which may have had another name; `nil` if there was none, or if it
    /// does not fit the attribute's new type.
    private func value(
        of field: Schema.Attribute, in record: [String: Content], _ entity: Schema.Entity
    ) -> Content? {
        let name = field.originalName ?? field.name
        guard let before = entity.fields.first(where: { $0.name == name }), let value = record[name],
            fits(before.type.kind, field.type.kind), !isNull(value) || field.type.isOptional
        else { return nil }
        return value
    }

    private func fits(_ older: AttributeType.Kind, _ newer: AttributeType.Kind) -> Bool {
        switch (older, newer) {
        case (.reference, .reference): true
        case (.string, .enumeration), (.enumeration, .string), (.enumeration, .enumeration): true
        default: older == newer
        }
    }
}

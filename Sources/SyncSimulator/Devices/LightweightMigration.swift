package import WireFormats

/// A migration of the records that an app has stored, for an update of the app.
///
/// It works like SwiftData's lightweight migration, from version to version and without code of the app. It uses only
/// the declared names, types and defaults. The server expects no more of an app. The migration shares no code with the
/// server's tables.
///
/// `Content` is the type in which the store holds a value.
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

    /// Returns the record's value of an attribute, which the older version may have stored under another name.
    ///
    /// Returns `nil` if there is no value, or if it does not fit the attribute's new type.
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

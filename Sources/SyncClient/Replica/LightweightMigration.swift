import WireFormats

/// Migrates the stored records when an app is updated, without running code of the app. Each version is migrated to the
/// next one as by SwiftData's lightweight migration. The server assumes that devices do this.
struct LightweightMigration {
    /// The versions, in order, from the one to migrate from to the one to migrate to.
    private let versions: [Schema]

    init(_ versions: [Schema]) { self.versions = versions }

    /// Migrates one record.
    ///
    /// - Returns: the record in the newest version. If its entity was split, there is a record for each new entity; if
    ///   it was removed, there is none.
    func migrated(_ key: RecordKey, _ record: KnownRecord) -> [(key: RecordKey, record: KnownRecord)] {
        zip(versions, versions.dropFirst()).reduce([(key, record)]) { records, step in
            records.flatMap { key, record in migrated(key, record, from: step.0, to: step.1) }
        }
    }

    /// Returns the names that an entity of the oldest version has in the newest version. There are several names if the
    /// entity was split, and none if it was removed.
    func names(of entity: String) -> [String] {
        let stone = KnownRecord(fields: nil, stamp: 1, created: 1, initialSync: 0)
        return migrated(RecordKey(entity: entity, id: RecordID("")), stone).map(\.key.entity)
    }

    private func migrated(
        _ key: RecordKey, _ record: KnownRecord, from older: Schema, to newer: Schema
    ) -> [(RecordKey, KnownRecord)] {
        guard let before = older.entity(key.entity), before.scope == .synced else { return [] }
        return newer.entities.filter { $0.scope == .synced && ($0.originalName ?? $0.name) == key.entity }.map {
            entity in
            var next = record
            next.stamps = [:]
            next.absent = [:]
            if let fields = record.fields {
                next.fields = [:]
                for field in entity.fields {
                    let former = field.originalName ?? field.name
                    if let value = value(of: field, in: fields, before) {
                        next.fields?[field.name] = value.isFitting ? value.value : nil
                        let stamp = record.stamp(of: former)
                        if stamp != record.stamp { next.stamps[field.name] = stamp }
                        next.absent[field.name] = record.absent[former]
                    } else {
                        next.fields?[field.name] =
                            field.default == nil
                            ? .null : field.default?.constant(for: field.type.kind) ?? .null
                        next.stamps[field.name] = 0
                    }
                    // A required attribute without a value stays unset until the server sends a value.
                    if next.fields?[field.name]?.isNull == true, !field.type.isOptional {
                        next.fields?[field.name] = nil
                    }
                }
            }
            return (RecordKey(entity: entity.name, id: key.id), next)
        }
    }

    /// Returns the value that a record of the older version has for an attribute of the new version. Returns `nil` if
    /// the record has no such value of the same type. `isFitting` is false if the value is an enumeration case that the
    /// new version does not have.
    private func value(
        of field: Schema.Attribute, in record: [String: Value], _ entity: Schema.Entity
    ) -> (value: Value, isFitting: Bool)? {
        let name = field.originalName ?? field.name
        guard let before = entity.fields.first(where: { $0.name == name }), let value = record[name],
            isSame(before.type.kind, field.type.kind), !value.isNull || field.type.isOptional
        else { return nil }
        // For a case that no longer exists, only the server knows what the app makes of it.
        guard case .enumeration(_, let cases) = field.type.kind, case .string(let raw) = value else {
            return (value, true)
        }
        return (value, cases.contains { $0.utf8.elementsEqual(raw.utf8) })
    }

    private func isSame(_ older: AttributeType.Kind, _ newer: AttributeType.Kind) -> Bool {
        switch (older, newer) {
        case (.reference, .reference): true
        case (.string, .enumeration), (.enumeration, .string), (.enumeration, .enumeration): true
        default: older == newer
        }
    }
}

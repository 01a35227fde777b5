/// The records that must be sent again to a device after an update of its app. The device has migrated its records by
/// itself, but lacks values that only the newer version reads.
///
/// The device is assumed to do exactly what SwiftData's lightweight migration does: attributes keep their values by
/// name and `originalName`, and new ones get their declared default. The app's own code in a custom stage is not taken
/// into account. In any doubt a record is sent again, because this is never wrong. So all records are sent after an
/// update from or to a historical variant.
package struct Widening: Sendable {
    /// The records to send, by entity, in the order of the newer version's projections. Entities without such records
    /// are left out.
    package let parts: [Part]

    /// The records of one entity that must be sent again to the device.
    package struct Part: Sendable {
        /// The entity's projection in the newer version.
        package let projection: Projection
        package let records: Records
    }

    /// A selection of an entity's records, without deleted ones.
    package enum Records: Hashable, Sendable {
        case all
        /// The records that meet at least one of the conditions. The list is never empty.
        case whereAny([Test])
    }

    /// A condition on one column, given as its index in `HubEntity.columns`.
    package enum Test: Hashable, Sendable {
        case differs(column: Int, from: Value)
        case isNull(column: Int)
        /// The column contains a text other than the listed ones.
        case isNoneOf(column: Int, [String])
    }
}

extension Plan {
    /// Returns the records to send to a device after an update of its app. `isUpdate(from:to:)` must be true.
    ///
    /// - Parameters:
    ///   - older: the version or variant before the update, as an index in `shapes`.
    ///   - newer: the version or variant after the update, as an index in `shapes`.
    package func widening(from older: Int, to newer: Int) -> Widening {
        precondition(isUpdate(from: older, to: newer), "only a newer version sees more")
        if isVariant(older) || isVariant(newer) {
            return Widening(parts: projections[newer].compactMap { $0.map { .init(projection: $0, records: .all) } })
        }
        let parts = projections[newer].compactMap { projection -> Widening.Part? in
            guard let projection else { return nil }
            guard let before = projections[older][projection.entity] else {
                return Widening.Part(projection: projection, records: .all)
            }
            return records(projection, since: before).map { Widening.Part(projection: projection, records: $0) }
        }
        return Widening(parts: parts)
    }

    /// Returns true if an update of the app can change a device's shape (version or historical variant) from `older` to
    /// `newer`. Two shapes with the same version number count in both directions, because it is unknown which of them a
    /// device had first.
    package func isUpdate(from older: Int, to newer: Int) -> Bool {
        older != newer && version(of: older) <= version(of: newer)
    }

    private func records(_ projection: Projection, since before: Projection) -> Widening.Records? {
        let path = path(to: projection, since: before)
        var tests: [Widening.Test] = []
        for field in projection.fields {
            guard let own = self.tests(of: field, along: path, since: before) else { return .all }
            tests += own
        }
        return tests.isEmpty ? nil : .whereAny(tests)
    }

    /// Returns the conditions under which the field's value on the device may differ from the server's. Empty if it
    /// never differs. `nil` if no conditions on columns can express the difference, so that all records must be sent.
    private func tests(
        of field: Projection.Field, along path: [[any LensOperation]], since before: Projection
    ) -> [Widening.Test]? {
        switch origin(of: field, along: path) {
        case .carried(let name):
            guard let index = before.field(named: name) else { return nil }
            return Widening.tests(from: before.fields[index], to: field)
        case .added(let standard):
            // A migration in one step would take over a value that had the name before.
            guard before.field(named: field.name) == nil, !before.localNames.contains(field.name),
                standard == field.default
            else { return nil }
            return Widening.tests(ofAdded: field)
        case .unknown: return nil
        }
    }

    /// The origin of an attribute's value on a device after an update.
    private enum Origin {
        /// The device had the value before the update, in the attribute with this name.
        case carried(String)
        /// The attribute was introduced after the older version, with this default. Its type has not changed since.
        case added(Default?)
        /// The value comes from a conversion. The server does not know the value that the device has.
        case unknown
    }

    /// Returns the operations on the entity in each stage between the versions of the two projections, the latest stage
    /// first.
    private func path(to projection: Projection, since before: Projection) -> [[any LensOperation]] {
        (before.version..<projection.version).reversed().map { stage in
            let newer = projections[stage + 1][projection.entity]?.name
            return stages[stage].entities.first { $0.newer != nil && $0.newer == newer }?.operations ?? []
        }
    }

    private func origin(of field: Projection.Field, along path: [[any LensOperation]]) -> Origin {
        var name = field.name
        var isPlain = true
        for operations in path {
            switch operations.first(where: { $0.newer.contains(name) }) {
            case let carried as CarryAttribute:
                name = carried.from.name
                isPlain = isPlain && carried.olderSteps.isEmpty && carried.newerSteps.isEmpty
            case let added as AddAttribute where isPlain: return .added(added.attribute.default)
            default: return .unknown
            }
        }
        return .carried(name)
    }
}

extension Widening {
    fileprivate static func tests(from older: Projection.Field, to newer: Projection.Field) -> [Test]? {
        guard older.column == newer.column else { return nil }
        let isSame =
            older.steps.count == newer.steps.count
            && zip(older.steps, newer.steps).allSatisfy { $0.readsAlike($1) }
        if isSame { return [] }
        // Both versions read a value alike if none of their steps touches it.
        var tests: [Test] = []
        for step in older.steps + newer.steps {
            switch step {
            case .orElse: tests.append(.isNull(column: newer.column))
            case .oneOf(let step): tests.append(.isNoneOf(column: newer.column, step.cases))
            case .converted: return nil
            }
        }
        return tests
    }

    fileprivate static func tests(ofAdded field: Projection.Field) -> [Test]? {
        let value: Value
        if let standard = field.default {
            guard let constant = standard.constant(for: field.type.kind) else { return nil }
            value = constant
        } else {
            // A required attribute without default: the device cannot get a value by itself.
            guard field.type.isOptional else { return nil }
            value = .null
        }
        guard let stored = try? field.steps.widened(value) else { return nil }
        return field.view(stored) == value ? [.differs(column: field.column, from: stored)] : nil
    }
}

extension ViewStep {
    /// Returns true if two steps on the same column compute the same value. For conversions it is enough to compare
    /// name and direction, because a column has at most one conversion in each direction.
    fileprivate func readsAlike(_ other: ViewStep) -> Bool {
        switch (self, other) {
        case (.orElse(let one), .orElse(let other)): one.fallback == other.fallback
        case (.oneOf(let one), .oneOf(let other)): one.cases == other.cases && one.unknown == other.unknown
        case (.converted(let one), .converted(let other)):
            one.mapping.name == other.mapping.name && one.columnIsNewer == other.columnIsNewer
        default: false
        }
    }
}

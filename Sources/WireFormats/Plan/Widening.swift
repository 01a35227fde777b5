/// What a newer version can see of the hub that a device, which has read an older version's view and migrated it by
/// itself, does not have. From or to a historical variant that is everything: what the app did with the store of a
/// shape that was never meant to be there, nobody knows.
///
/// The device is taken to do what SwiftData's lightweight migration does and no more: attributes follow their names and
/// `originalName`s, new ones get their declared default. What the app's own code does in a custom stage is not assumed.
/// Where that leaves a doubt, the record counts as widened: to send too much is never wrong.
package struct Widening: Sendable {
    /// The entities with something to tell, in the order of the newer version's projections.
    package let parts: [Part]

    /// The records of one entity that are to be told.
    package struct Part: Sendable {
        /// In the newer version.
        package let projection: Projection
        package let records: Records
    }

    /// Which of an entity's living records.
    package enum Records: Hashable, Sendable {
        case all
        /// Those for which one of the tests holds; never empty.
        case whereAny([Test])
    }

    /// A condition on one column, given as its place in `HubEntity.columns`.
    package enum Test: Hashable, Sendable {
        case differs(column: Int, from: Value)
        case isNull(column: Int)
        /// It holds a text, and none of these.
        case isNoneOf(column: Int, [String])
    }
}

extension Plan {
    /// - Parameters:
    ///   - older: a place in `shapes`.
    ///   - newer: one that an update leads to.
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

    /// Whether a device of the shape `older` becomes one of `newer` by an update of its app. Among shapes of one number
    /// that leads both ways: which of them came later on a device cannot be told.
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

    /// When the device's value may be another than the server's; `nil` where that cannot be told by the columns.
    private func tests(
        of field: Projection.Field, along path: [[any LensOperation]], since before: Projection
    ) -> [Widening.Test]? {
        switch origin(of: field, along: path) {
        case .carried(let name):
            guard let place = before.field(named: name) else { return nil }
            return Widening.tests(from: before.fields[place], to: field)
        case .added(let standard):
            // A migration in one step would take a value over that had the name before.
            guard before.field(named: field.name) == nil, !before.localNames.contains(field.name),
                standard == field.default
            else { return nil }
            return Widening.tests(ofAdded: field)
        case .unknown: return nil
        }
    }

    /// Where an attribute came from.
    private enum Origin {
        /// From the older version, under this name there.
        case carried(String)
        /// It was introduced in between, with this default, and is read as it was then.
        case added(Default?)
        /// From a conversion.
        case unknown
    }

    /// What each stage from the older version on does with the entity, the latest first.
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
        // Both read alike what none of their steps touches.
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
    /// Whether two steps on the same column say the same. A conversion is on one column once at most in each direction,
    /// so its name and direction identify it.
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

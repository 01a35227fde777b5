import StrictJSON
import SyncClient
import WireFormats

/// A generator of the history of a space, made from the plan alone: records that are created in every possible way,
/// values that careless SQL gets wrong, and edits by versions of all ages.
struct HistoryGenerator {
    private let plan: Plan
    private var random: SplitMix64
    private var values: [Int: [Int: RecordGenerator]] = [:]
    private var records: [Record] = []
    private var latest = HistoryGenerator.beginning

    /// The changes that one device sends in one request.
    struct Push: Sendable {
        /// The device's version, as an index in the plan's `schemas`.
        let version: Int
        /// The changes as a JSON array.
        let changes: [UInt8]
    }

    private struct Record {
        /// The index of the record's entity in `Hub.entities`.
        let entity: Int
        let id: ID
        let beginning: Beginning
    }

    /// The way in which a record comes into being. The first records of each entity take these cases in order, one
    /// each. All further records are `created`.
    private enum Beginning: Int {
        case createdWithDefaults
        case onlyUpdated
        case updatedBeforeItWasCreated
        case deleted
        case createdAgain
        case created
    }

    private static let recordsPerEntity = 12
    /// The number of records of an entity that a later stage (migration step) converts. It is large because the SQL and
    /// the Swift of a conversion must agree on every value.
    private static let recordsPerConvertedEntity = 120
    /// The time from which on stamps are drawn, in milliseconds since 1970. It is so long ago that the server replaces
    /// no stamp as too far ahead.
    private static let beginning: Int64 = 1_700_000_000_000

    /// True if the changes of each record must arrive in the order of their stamps.
    ///
    /// This is so if a stage (migration step) links attributes that were separate before. The result of changes in
    /// another order would then depend on whether they arrive before or after the migration.
    private let isOrderly: Bool
    /// For each entity, the columns that are unique only before the migration to the newest version.
    ///
    /// The newest version allows the same value in two records. A server that was not migrated yet might refuse the
    /// second one, and the two databases that are compared would differ.
    private var formerKeys: [Int: Set<Int>] = [:]
    /// The values of the columns in `formerKeys`, by record and column, each with the version that wrote it.
    private var keys: [ID: [Int: (version: Int, value: Value)]] = [:]
    private var keysTaken: Set<[Value]> = []

    init(_ plan: Plan, seed: UInt64) {
        self.plan = plan
        isOrderly = plan.columnsEditedAsOne.contains { !$0.isEmpty }
        random = SplitMix64(seed: seed)
    }

    /// Generates the pushes that fill a space while `newest` is the newest version: most clients have this version,
    /// some an older one.
    mutating func filling(by newest: Int) -> [Push] {
        let converted = entitiesConverted(after: newest)
        formerKeys = plan.uniqueColumns(until: newest)
        for case let projection? in plan.projections[newest] {
            let entity = plan.hub.entities[projection.entity]
            if let id = entity.singleton {
                records.append(Record(entity: entity.index, id: id, beginning: .created))
                continue
            }
            let isConverted = converted.contains(entity.index)
            let count = isConverted ? Self.recordsPerConvertedEntity : Self.recordsPerEntity
            for number in 0..<count {
                let beginning = isOrderly ? .created : Beginning(rawValue: number) ?? .created
                records.append(Record(entity: entity.index, id: .random(using: &random), beginning: beginning))
            }
        }
        let changes = begin(by: newest) + goOn(by: newest)
        // Edits of a record that was never created are left out: the record's time of creation is known only while all
        // of it has one stamp.
        return pushes(changes) + edits(by: 0...newest) { $0.beginning == .created }
    }

    /// Returns random edits of all records by clients of these versions. Some edits are late: they arrive after edits
    /// with later stamps.
    mutating func edits(by versions: ClosedRange<Int>) -> [Push] {
        edits(by: versions) { _ in true }
    }

    // MARK: Changes

    private typealias Change = (version: Int, content: OutgoingChange)

    private mutating func begin(by version: Int) -> [Change] {
        var changes: [Change] = []
        for record in records {
            switch record.beginning {
            case .createdWithDefaults: changes.append(change(.create, record, by: version, oneIn: nil, at: next()))
            case .onlyUpdated, .updatedBeforeItWasCreated:
                changes.append(change(.update, record, by: version, oneIn: 2, at: next()))
            case .deleted, .createdAgain, .created:
                changes.append(change(.create, record, by: version, oneIn: 2, at: next()))
            }
        }
        return changes
    }

    private mutating func goOn(by version: Int) -> [Change] {
        var changes: [Change] = []
        for record in records {
            switch record.beginning {
            case .createdWithDefaults, .onlyUpdated, .created: break
            case .updatedBeforeItWasCreated:
                let early = Stamp(milliseconds: Self.beginning - Int64(random.next() % 100_000))
                changes.append(change(.create, record, by: version, oneIn: 3, at: early))
            case .deleted: changes.append(change(.delete, record, by: version, oneIn: nil, at: next()))
            case .createdAgain:
                changes.append(change(.delete, record, by: version, oneIn: nil, at: next()))
                changes.append(change(.create, record, by: version, oneIn: 3, at: next()))
            }
        }
        return changes
    }

    private mutating func edits(by versions: ClosedRange<Int>, of isChosen: (Record) -> Bool) -> [Push] {
        var changes: [Change] = []
        for record in records.filter(isChosen) {
            for _ in 0..<2 {
                let able = versions.filter { plan.projections[$0][record.entity]?.fields.isEmpty == false }
                guard let version = able.randomElement(using: &random) else { continue }
                let isLate = random.next() & 3 == 0 && !isOrderly
                let late = Stamp(milliseconds: Self.beginning + Int64(random.next() % UInt64(latest - Self.beginning)))
                let stamp = isLate ? late : next()
                changes.append(change(.update, record, by: version, oneIn: 4, at: stamp))
            }
        }
        return pushes(isOrderly ? changes : changes.sorted { $0.version < $1.version })
    }

    /// Returns a random change of a record by a client of a version.
    ///
    /// - Parameter share: the change sets each optional attribute with the probability 1 / `share`; `nil` for a change
    ///   with no optional attributes. Attributes that a creation requires are always set.
    private mutating func change(
        _ operation: OutgoingChange.Operation, _ record: Record, by version: Int, oneIn share: UInt64?, at stamp: Stamp
    ) -> Change {
        let projection = plan.projections[version][record.entity]!
        let positions = projection.fields.indices.filter { position in
            if operation == .create, !projection.fields[position].isOmissible { return true }
            if operation != .delete, isFormerKey(position, of: projection) { return true }
            return share.map { random.next() % $0 == 0 } ?? false
        }
        let fields = positions.compactMap { position -> (String, Value)? in
            let field = projection.fields[position]
            guard isFormerKey(position, of: projection) else { return (field.name, value(position, of: projection)) }
            return key(position, of: projection, record.id).map { (field.name, $0) }
        }
        return (
            version,
            OutgoingChange(
                entity: projection.name, id: record.id, operation: operation, stamp: stamp, fields: fields)
        )
    }

    /// Combines consecutive changes of the same version into one push.
    private func pushes(_ changes: [Change]) -> [Push] {
        var pushes: [Push] = []
        var rest = changes[...]
        while let version = rest.first?.version {
            let batch = rest.prefix { $0.version == version }
            rest = rest.dropFirst(batch.count)
            var writer = JSONWriter()
            writer.beginArray()
            for change in batch { change.content.write(to: &writer) }
            writer.endArray()
            pushes.append(Push(version: version, changes: writer.bytes))
        }
        return pushes
    }

    // MARK: Values

    private func isFormerKey(_ position: Int, of projection: Projection) -> Bool {
        formerKeys[projection.entity]?.contains(projection.fields[position].column) ?? false
    }

    /// Returns a value for a column that is unique only before the migration. All changes of the record get the same
    /// value.
    ///
    /// Returns `nil` if another version has already set the value, or if no unused value was found.
    ///
    /// - Parameter position: the index of the column's field in `projection`.
    private mutating func key(_ position: Int, of projection: Projection, _ record: ID) -> Value? {
        let field = projection.fields[position]
        if let known = keys[record]?[field.column] {
            return projection.version == known.version ? known.value : nil
        }
        for _ in 0..<100 {
            let value = value(position, of: projection)
            let isFree = keysTaken.insert([.int(Int64(projection.entity)), .int(Int64(field.column)), value]).inserted
            guard isFree || value.isNull else { continue }
            keys[record, default: [:]][field.column] = (projection.version, value)
            return value
        }
        return nil
    }

    private mutating func next() -> Stamp {
        latest += Int64(random.next() % 100_000) + 1
        return Stamp(milliseconds: latest, counter: Int64(random.next() % 3))
    }

    /// Draws a value for a field. A reference is to a record of the space, to one that does not exist, or null.
    ///
    /// - Parameter position: the field's index in `projection`.
    private mutating func value(_ position: Int, of projection: Projection) -> Value {
        let field = projection.fields[position]
        if case .reference = field.type.kind {
            let references = plan.hub.entities[projection.entity].references
            let target = references.first { $0.column == field.column }?.target
            switch random.next() % 8 {
            case 0: return .null
            case 1: return .uuid(.random(using: &random))
            default:
                return records.filter { $0.entity == target }.randomElement(using: &random).map { .uuid($0.id) }
                    ?? .null
            }
        }
        let (version, entity) = (projection.version, projection.entity)
        guard
            let generator = values[version]?[entity] ?? RecordGenerator(plan, of: projection.name, in: version)
        else { return .null }
        values[version, default: [:]][entity] = generator
        return generator.value(position, using: &random)
    }

    /// Returns the entities, as indices in the hub, with attributes that a stage (migration step) after `version`
    /// changes into others, instead of only adding or dropping attributes.
    private func entitiesConverted(after version: Int) -> Set<Int> {
        var found: Set<Int> = []
        for stage in version..<plan.newest {
            for entity in StageExplanation(plan, stage: stage).entities {
                guard let name = entity.before, let projection = plan.projection(version: stage, named: name),
                    entity.operations.contains(where: { !$0.before.isEmpty && !$0.after.isEmpty })
                else { continue }
                found.insert(projection.entity)
            }
        }
        return found
    }
}

extension Plan {
    /// Returns, for each entity, the columns that are no longer unique in the newest version, but were unique when
    /// `version` was the newest.
    fileprivate func uniqueColumns(until version: Int) -> [Int: Set<Int>] {
        let older = cut(after: version)
        var found: [Int: Set<Int>] = [:]
        for case let projection? in older.projections[version] {
            guard let own = self.projection(version: version, named: projection.name) else { continue }
            let names = projection.fields.filter {
                older.hub.entities[projection.entity].uniqueColumns.contains($0.column)
            }.map(\.name)
            let columns = own.fields.filter { names.contains($0.name) }.map(\.column)
            found[own.entity] = Set(columns).subtracting(hub.entities[own.entity].uniqueColumns)
        }
        return found.filter { !$0.value.isEmpty }
    }
}

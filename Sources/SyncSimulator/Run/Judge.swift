import SyncModel
import WireFormats

/// The expected content of the space, computed from the changes that the server accepted, in the order of acceptance.
struct Judge {
    private var models: SpaceModels
    private var replaced = ReplacedStamps()
    /// The names of the versions, in the order of the plan's `shapes`.
    private let names: [ShapeName]

    /// Makes the expected content of a new, empty space.
    ///
    /// - Parameter newest: the index of the newest version that the server knows at first, before it is migrated; `nil`
    ///   if it knows all.
    init(_ declaration: any SchemaMigrationPlan.Type, _ plan: Plan, heldBackAt newest: Int?) throws {
        models = SpaceModels(try SpaceModel(declaration, heldBackAt: newest.map { plan.name(of: $0) }))
        names = plan.shapes.indices.map { plan.name(of: $0) }
    }

    /// Begins a push. Its changes are passed to `take` next.
    mutating func beginPush() { models.beginPush() }

    /// Migrates the expected content to the newest version of the plan, as the server does.
    mutating func migrate() { models.migrate() }

    /// Applies a change that the server accepted to the expected content.
    ///
    /// - Parameters:
    ///   - stamp: the stamp with which the server merged the change: the device's stamp, or the one that the server
    ///     gave it.
    ///   - sender: the id of the device that sent the change.
    ///   - isWhole: true if the request declared its changes as whole records.
    ///   - isHeld: true if the device had the record's current state when it sent the change; `nil` if that is unknown.
    mutating func take(_ change: Change, at stamp: Stamp, of sender: ID, isWhole: Bool, isHeld: Bool?) throws {
        models.take(try modelChange(change, at: stamp, of: sender, isWhole: isWhole), isHeld: isHeld)
    }

    /// Finds the values in a quarantined change that the device did not edit, but sent back as it had read them.
    ///
    /// - Parameters:
    ///   - stamp: the stamp with which the server will merge the change.
    ///   - sender: the id of the device that sent the change.
    ///   - isWhole: true if the request declared its changes as whole records.
    ///   - isHeld: true if the device had the record's current state when it sent the change; `nil` if that is unknown.
    /// - Returns: the possible results. There are several if not everything about the request is known.
    mutating func readings(
        of change: Change, at stamp: Stamp, of sender: ID, isWhole: Bool, isHeld: Bool?
    ) throws -> Set<ModelReading> {
        models.readings(of: try modelChange(change, at: stamp, of: sender, isWhole: isWhole), isHeld: isHeld)
    }

    /// Applies a change that the server has merged from its quarantine.
    mutating func replay(_ held: HeldChanges.Held) throws {
        models.replay(
            try modelChange(held.change, at: held.stamp, of: held.sender, isWhole: held.isWhole), held.readings)
    }

    private mutating func modelChange(
        _ change: Change, at stamp: Stamp, of sender: ID, isWhole: Bool
    ) throws -> ModelChange {
        if change.isStamped, stamp != change.stamp,
            let other = replaced.note(change.stamp, as: stamp, of: sender, in: change.key.id)
        {
            throw Breach(
                "a device sent \(other.sent.rawValue) and \(change.stamp.rawValue), which became "
                    + "\(other.counts.rawValue) and \(stamp.rawValue): \(change)")
        }
        var translated = ModelChange(
            change.operation, change.key.entity, change.key.id, change.fields, at: stamp, in: names[change.version])
        translated.sentStamp = change.isStamped ? change.stamp : .never
        translated.increments = change.increments
        translated.device = sender
        translated.isWhole = isWhole
        return translated
    }

    /// Removes from the model what a garbage collection may remove from the server, such as deleted records and
    /// replaced stamps.
    mutating func forgetDead() {
        models.forgetDead()
        replaced = ReplacedStamps()
    }

    // MARK: Doubts

    /// The number of possible contents of the space, each of which has a model.
    var possibilities: Int { models.all.count }

    /// True if some possible contents of the space have no model, because there were too many. Then perhaps none of the
    /// models is right.
    var isUndecided: Bool { models.hasLostSome }

    /// Returns the versions in which the expected records are uncertain, because the models differ.
    func doubtful(among versions: [Int]) -> [Int] {
        if models.isCertain { return [] }
        return versions.filter { version in
            let stores = models.all.map { $0.records(in: names[version]) }
            return stores.contains { $0 != stores[0] }
        }
    }

    /// Compares the models with the records that a new device has received, and removes the models that differ.
    ///
    /// - Parameter store: all records that the device has received.
    /// - Throws: `Breach` if all models differ. But if some possible contents have no model, this proves nothing, and
    ///   `Undecided` is thrown.
    mutating func learn(_ store: Store, in version: Int) throws {
        let name = names[version]
        if models.keep({ $0.records(in: name) == store }) { return }
        if models.hasLostSome { throw Undecided() }
        let found = models.all.map {
            Comparison.differences("a new device of \(name)", store, "the model", $0.records(in: name))
        }
        let nearest = found.min { $0.count < $1.count } ?? []
        let whatever = models.isCertain ? "" : "whatever was held, of \(models.all.count) possibilities, "
        throw Breach(
            "\(whatever)a new device of \(name) and the model differ:\n" + nearest.joined(separator: "\n"))
    }
}

/// An error that ends a run without a result, because more contents were possible than the model follows.
struct Undecided: Error {}

/// Compares the records of two devices, and describes the differences in enough detail to investigate them.
enum Comparison {
    /// The maximum number of lines in a description. More lines would mostly show the same difference again.
    private static let linesMax = 6

    static func differences(_ name: String, _ store: Store, _ otherName: String, _ other: Store) -> [String] {
        if store == other { return [] }
        var lines: [String] = []
        let keys = Set(store.keys).union(other.keys).sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }
        for key in keys where store[key] != other[key] {
            guard lines.count < linesMax else { return lines + ["…"] }
            lines.append("\(key.entity) \(key.id): \(difference(name, store[key], otherName, other[key]))")
        }
        return lines
    }

    private static func difference(
        _ name: String, _ record: [String: Value]?, _ otherName: String, _ other: [String: Value]?
    ) -> String {
        guard let record else { return "\(otherName) has it, \(name) has not" }
        guard let other else { return "\(name) has it, \(otherName) has not" }
        let differing = Set(record.keys).union(other.keys).sorted().filter { record[$0] != other[$0] }
        return differing.map { attribute in
            let (mine, theirs) = (record[attribute]?.shown ?? "not told", other[attribute]?.shown ?? "not told")
            return "\(attribute) is \(mine) for \(name), \(theirs) for \(otherName)"
        }.joined(separator: "; ")
    }
}

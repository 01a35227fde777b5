import SyncModel
import WireFormats

/// What the space must hold, worked out from the changes that the server has accepted, in the order in which it did.
struct Judge {
    private var models: SpaceModels
    private var replaced = ReplacedStamps()
    /// By place in the plan's `shapes`.
    private let names: [ShapeName]

    /// - Parameter newest: the newest version that the server knows before it is migrated; `nil` where that is all.
    init(_ declaration: any SchemaMigrationPlan.Type, _ plan: Plan, heldBackAt newest: Int?) throws {
        models = SpaceModels(try SpaceModel(declaration, heldBackAt: newest.map { plan.name(of: $0) }))
        names = plan.shapes.indices.map { plan.name(of: $0) }
    }

    /// The changes of a push follow.
    mutating func beginPush() { models.beginPush() }

    /// The server has been migrated, and knows all of the plan.
    mutating func migrate() { models.migrate() }

    /// - Parameters:
    ///   - stamp: the one that counts, which is another than the change's where that was too far ahead or not said.
    ///   - sender: whose change it is.
    ///   - isWhole: whether its request said that it is a whole record.
    ///   - isHeld: whether its device held the record; `nil` where that is not known.
    mutating func take(_ change: Change, at stamp: Stamp, of sender: ID, isWhole: Bool, isHeld: Bool?) throws {
        models.take(try told(change, at: stamp, of: sender, isWhole: isWhole), isHeld: isHeld)
    }

    /// Tells what a change that the server holds may only repeat; the same parameters.
    mutating func readings(
        of change: Change, at stamp: Stamp, of sender: ID, isWhole: Bool, isHeld: Bool?
    ) throws -> Set<ModelReading> {
        models.readings(of: try told(change, at: stamp, of: sender, isWhole: isWhole), isHeld: isHeld)
    }

    /// Takes a change that was held.
    mutating func replay(_ held: HeldChanges.Held) throws {
        models.replay(
            try told(held.change, at: held.stamp, of: held.sender, isWhole: held.isWhole), held.readings)
    }

    private mutating func told(
        _ change: Change, at stamp: Stamp, of sender: ID, isWhole: Bool
    ) throws -> ModelChange {
        if change.isStamped, stamp != change.stamp,
            let other = replaced.note(change.stamp, as: stamp, of: sender, in: change.key.id)
        {
            throw Breach(
                "a device sent \(other.sent.rawValue) and \(change.stamp.rawValue), which became "
                    + "\(other.counts.rawValue) and \(stamp.rawValue): \(change)")
        }
        var told = ModelChange(
            change.operation, change.key.entity, change.key.id, change.fields, at: stamp, in: names[change.version])
        told.sentStamp = change.isStamped ? change.stamp : .never
        told.increments = change.increments
        told.device = sender
        told.isWhole = isWhole
        return told
    }

    /// The server has collected all that it may forget.
    mutating func forgetDead() {
        models.forgetDead()
        replaced = ReplacedStamps()
    }

    // MARK: Doubts

    /// The number of outcomes that the changes allow for, as far as they are followed.
    var possibilities: Int { models.all.count }

    /// True where there were more than are followed, so that what is true may be none of them.
    var isUndecided: Bool { models.hasLostSome }

    /// Whether the changes allow for more than one outcome, and in which of these versions that is to be seen.
    func doubtful(among versions: [Int]) -> [Int] {
        if models.isCertain { return [] }
        return versions.filter { version in
            let stores = models.all.map { $0.records(in: names[version]) }
            return stores.contains { $0 != stores[0] }
        }
    }

    /// A new device of the version holds this.
    ///
    /// - Throws: `Breach` where no outcome says so; `Undecided` where there may be more than are followed.
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

/// More was in doubt than is followed, so that nothing is proved.
struct Undecided: Error {}

/// Compares stores, and says what differs so that one can go and look.
enum Comparison {
    /// More would say the same again.
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

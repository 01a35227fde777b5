import SyncModel
import WireFormats

/// One run: a new space, new devices, and their steps. Requests are sent one at a time, so the order in which the
/// server accepted the changes is known, and the expected content of the space can be computed.
///
/// The simulation reads every answer of the server, including those that its devices never receive.
final class Episode {
    let plan: Plan
    let site: Site
    let shelf: Shelf
    var route: Route
    let faults: Set<Fault>
    /// The correct time when the run begins, before any clock error, in milliseconds since 1970.
    let start: Int64
    /// The newest version that the server knows before its migration, as an index in the plan's `schemas`; `nil` if it
    /// knows all versions from the start.
    let heldBackAt: Int?

    var devices: [Device] = []
    var observers: [Observer] = []
    var held: [HeldRequest] = []
    var judge: Judge
    /// The ids of all records, by the index of their entity in the hub (the structure of the server's tables).
    var pool: [Int: [ID]] = [:]
    /// The text ids of records, for versions whose ids are texts.
    var names = TextNames()
    var verdicts = Verdicts()
    /// The pushes that the server has answered since the latest renewal of the epoch or the latest garbage collection.
    var received: [Request] = []
    var backups: [Device] = []
    var requestCount = 0
    /// The stamp of each record's latest edit on any device.
    var lastStamps: [ID: Stamp] = [:]
    var changeCount = 0
    /// The changes that the server reported as held in quarantine.
    var quarantined = HeldChanges()
    /// The text that the database refuses, and its column; `nil` if the app has no suitable attribute.
    var refusal: Refusal?
    /// All cursors that the server has returned since the latest renewal of the epoch.
    var cursors: Set<String> = []
    /// The records that the devices have read. They show whether a device had a record's current state when it sent a
    /// change.
    var readings = Readings()
    /// Clients that read the sequence numbers of all records, by version index.
    var numberReaders: [Int: NumberReader] = [:]
    /// The sequence numbers of all records just before the server processed the request whose answer is handled next;
    /// `nil` if they are not known for certain.
    var numbersBefore: [ID: Int64]?
    /// The versions that are retired now, by index, and the extent of each retirement.
    var ended: [Int: VersionEnd] = [:]
    /// True if the server has forgotten deletions during this run, so that a cursor may have expired.
    var hasCollected = false
    /// The number of answers that may still have a 5xx status. A crash of the database breaks the server's sessions,
    /// and each of them causes one such answer when it is used next.
    var patience = 0
    var tally = Tally()
    var story = Story()
    /// The process that moves the space to the other database; `nil` while none does.
    var mover: MoverProcess?

    private let fleetCount: Int
    /// The connections to each server, by the index of the device that uses them. The last two are for requests that no
    /// device sends.
    private var connections: [[HTTPConnection]] = []
    /// The random numbers by which each request is given to one of the servers.
    private var ways = SplitMix64(seed: 0)
    private var connectedTo = -1

    /// Makes the devices of a run.
    ///
    /// - Parameters:
    ///   - fleet: each device's version, as an index into the plan's `shapes`.
    ///   - seed: determines the devices' ids and properties.
    init(
        _ declaration: any SchemaMigrationPlan.Type, _ plan: Plan, _ site: Site, _ shelf: Shelf, fleet: [Int],
        faults: Set<Fault>, heldBackAt: Int?, seed: UInt64,
        startingAt start: Int64
    ) async throws {
        self.plan = plan
        self.site = site
        self.shelf = shelf
        self.faults = faults
        self.heldBackAt = heldBackAt
        self.start = start
        fleetCount = fleet.count
        judge = try Judge(declaration, plan, heldBackAt: heldBackAt)
        refusal = Refusal(plan)
        let space = ID.random()
        route = Route(app: plan.app, space: space, token: try await site.grant(space, app: plan.app))
        var random = SplitMix64(seed: seed)
        for (number, version) in fleet.enumerated() {
            let skew = Episode.skews[random.below(Episode.skews.count)]
            devices.append(
                Device(
                    number: number, id: .random(using: &random), version: version,
                    manner: Manner(of: number, faults),
                    skewMilliseconds: faults.contains(.skew) ? skew : 0))
        }
        observers = Set(fleet).sorted().map { Observer(version: $0) }
        try await beginToRefuse()
    }

    /// The possible errors of the devices' clocks, in milliseconds. A clock is up to a day behind, or up to a year
    /// ahead.
    ///
    /// The last two errors are so large that the server replaces the stamps of a device with such a clock.
    private static let skews: [Int64] = [
        -86_400_000, -60_000, -700, 0, 0, 900, 30_000, 280_000, 3_600_000, 31_536_000_000,
    ]

    func vocabulary(_ version: Int) -> Vocabulary { shelf.vocabulary(version) }

    // MARK: Connections

    /// Returns a device's connection to one of the servers, which is drawn at random.
    ///
    /// - Parameter index: the device's index; `fleetCount` for requests that no device sends.
    func connection(_ index: Int) -> HTTPConnection {
        if connectedTo != site.starts {
            connections = site.ports.map { port in (0...fleetCount + 1).map { _ in HTTPConnection(port: port) } }
            connectedTo = site.starts
        }
        return connections[ways.below(connections.count)][min(index, fleetCount)]
    }

    /// The connection for requests that no device sends.
    var control: HTTPConnection { connection(fleetCount) }

    /// A connection for reading while devices send requests over theirs.
    var side: HTTPConnection {
        _ = control
        return connections[ways.below(connections.count)][fleetCount + 1]
    }

    // MARK: Steps

    func perform(_ step: Step) async throws {
        story.begin(step)
        tally.count(step)
        var random = SplitMix64(seed: step.seed)
        ways = SplitMix64(seed: ~step.seed)
        let number = devices.isEmpty ? 0 : step.device % devices.count
        switch step.kind {
        case .edit: edit(number, at: step.time, step.fault, using: &random)
        case .wipe: wipe(number, at: step.time, using: &random)
        case .push, .pull, .sync:
            guard !isWaiting(number) else { return }
            let request = self.request(step.kind, of: number, using: &random)
            try await send(request, step.fault, using: &random)
        case .burst: try await burst(using: &random)
        case .overlap: try overlap(number, using: &random)
        case .again:
            let pushes = repeatable
            if !pushes.isEmpty { try receiveAgain(pushes[random.below(pushes.count)]) }
        case .backup: backUp(number, using: &random)
        case .restore: restore(number, using: &random)
        case .arrive:
            if !held.isEmpty { try await arrive(random.below(held.count)) }
        case .observe: try observe(using: &random)
        case .upgrade: upgrade(number, using: &random)
        case .downgrade: downgrade(number, using: &random)
        case .retire: try await retire(number, using: &random)
        case .reinstall:
            if !isWaiting(number) { devices[number].reinstall(as: .random(using: &random)) }
        case .collect: try await collect(using: &random)
        case .kill: try await kill(during: number, using: &random)
        case .crash: try await crash(during: number, using: &random)
        case .replay:
            try await replayQuarantine()
            try await beginToRefuse()
        case .renew: try renewEpoch()
        case .move: try await move(using: &random)
        case .migrate: try await migrate()
        case .check: try await check(using: &random)
        }
        try settleDoubts(using: &random)
    }

    /// True if too many outcomes of the run are possible, so that the run should skip to its last step, a check.
    ///
    /// Values that no device reads, such as those of deleted records, stay uncertain. Each such record doubles the
    /// number of possible outcomes.
    var isInDoubt: Bool { judge.possibilities > Episode.possibilitiesMax }

    /// The maximum number of possible outcomes at which a run continues.
    ///
    /// It is far below the maximum that the model can follow, because one more push can multiply the number.
    private static let possibilitiesMax = 16

    /// True if more outcomes were possible than the model follows. Then the run proves nothing.
    var isUndecided: Bool { judge.isUndecided }

    /// Returns true if the device waits for the answer to a delayed request.
    func isWaiting(_ number: Int) -> Bool {
        held.contains { $0.isAwaited && $0.request.sender == devices[number].id }
    }

    /// Returns true if the server answers requests of the version: if it knows the version, and the version is not
    /// retired.
    func isServed(_ version: Int) -> Bool { ended[version] == nil && isKnown(version) }

    /// Returns true if the server knows the version. A server that was not migrated yet may know only older ones.
    private func isKnown(_ version: Int) -> Bool {
        guard let heldBackAt, site.isHeldBack else { return true }
        return version <= heldBackAt
    }

    /// Returns true if the server accepts these changes: if it knows the versions in which they were written, and none
    /// of these is closed.
    func areServed(_ changes: [Change]) -> Bool {
        changes.allSatisfy { isKnown($0.version) && ended[$0.version] != .closed }
    }

    /// Returns true if the server accepts the request. If it does not, nothing in the request is stored.
    func isServed(_ request: Request) -> Bool { isServed(request.version) && areServed(request.changes ?? []) }

    private func migrate() async throws {
        guard site.isHeldBack else { return }
        try await site.migrate()
        judge.migrate()
        try await beginToRefuse()
    }
}

/// Counts of the steps, faults and verdicts of a run, for the report.
struct Tally: Sendable {
    private(set) var steps: [Step.Kind: Int] = [:]
    private(set) var faults: [Fault: Int] = [:]
    var verdicts: [String: Int] = [:]
    var requests = 0
    var records = 0
    var checks = 0

    mutating func count(_ step: Step) {
        steps[step.kind, default: 0] += 1
        if let fault = step.fault { faults[fault, default: 0] += 1 }
    }

    mutating func add(_ other: Tally) {
        steps.merge(other.steps, uniquingKeysWith: +)
        faults.merge(other.faults, uniquingKeysWith: +)
        verdicts.merge(other.verdicts, uniquingKeysWith: +)
        requests += other.requests
        records += other.records
        checks += other.checks
    }
}

/// A cache of the vocabulary (the entities and attributes) of each version.
final class Shelf {
    private let plan: Plan
    private var vocabularies: [Int: Vocabulary] = [:]

    init(_ plan: Plan) {
        self.plan = plan
    }

    func vocabulary(_ version: Int) -> Vocabulary {
        if let known = vocabularies[version] { return known }
        let made = Vocabulary(plan, version)
        vocabularies[version] = made
        return made
    }
}

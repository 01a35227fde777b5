import SyncModel
import WireFormats

/// One run: a new space, new devices, and the steps that they live through, one request at a time. So it is known which
/// change the server accepted first, and what the space must hold can be worked out.
///
/// The simulation sees every answer, also those that its devices never get.
final class Episode {
    let plan: Plan
    let site: Site
    let shelf: Shelf
    var route: Route
    let faults: Set<Fault>
    /// The clock of everyone, before it is made wrong: the wall time at the beginning, in milliseconds since 1970.
    let start: Int64
    /// The newest place in the plan's `schemas` that the server knows before it is migrated.
    let heldBackAt: Int?

    var devices: [Device] = []
    var observers: [Observer] = []
    var held: [HeldRequest] = []
    var judge: Judge
    /// The ids that there are, by the identity of their entity.
    var pool: [Int: [ID]] = [:]
    /// What versions in which ids are texts call them.
    var names = TextNames()
    var verdicts = Verdicts()
    /// The pushes that the server has answered in this epoch.
    var received: [Request] = []
    var backups: [Device] = []
    var requestCount = 0
    /// When a record was last edited on any device.
    var lastStamps: [ID: Stamp] = [:]
    var changeCount = 0
    /// What the server has called held.
    var quarantined = HeldChanges()
    /// What the database refuses; `nil` where the app has nothing that could be.
    var refusal: Refusal?
    /// All that were handed out in this epoch.
    var cursors: Set<String> = []
    /// What each of them says that its device has read.
    var readings = Readings()
    /// Who reads the numbers of all records along, by version.
    var numberReaders: [Int: NumberReader] = [:]
    /// The numbers of all records when the request was sent whose answer comes next; `nil` where they may be others by
    /// the time that it is merged.
    var numbersBefore: [ID: Int64]?
    /// The versions that are retired now, and how far.
    var ended: [Int: VersionEnd] = [:]
    /// Whether deletions have been collected, so that a cursor may expire.
    var hasCollected = false
    /// How many more answers may be 5xx: sessions of a crashed database are found out one by one.
    var patience = 0
    var tally = Tally()
    var story = Story()

    private let fleetCount: Int
    /// By server.
    private var connections: [[HTTPConnection]] = []
    /// Which server a request goes to.
    private var ways = SplitMix64(seed: 0)
    private var connectedTo = -1

    /// - Parameters:
    ///   - fleet: the place of each device's version in the plan's `shapes`.
    ///   - seed: who the devices are.
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

    /// A day and a minute behind, right, seconds and minutes ahead; and an hour and a year ahead, where the server
    /// replaces the stamps.
    private static let skews: [Int64] = [
        -86_400_000, -60_000, -700, 0, 0, 900, 30_000, 280_000, 3_600_000, 31_536_000_000,
    ]

    func vocabulary(_ version: Int) -> Vocabulary { shelf.vocabulary(version) }

    // MARK: Connections

    /// The device's own, to one of the servers; one more for whoever has none.
    func connection(_ place: Int) -> HTTPConnection {
        if connectedTo != site.starts {
            connections = site.ports.map { port in (0...fleetCount + 1).map { _ in HTTPConnection(port: port) } }
            connectedTo = site.starts
        }
        return connections[ways.below(connections.count)][min(place, fleetCount)]
    }

    /// For what is not a device's.
    var control: HTTPConnection { connection(fleetCount) }

    /// For an observer beside devices that are at it.
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
        case .migrate: try await migrate()
        case .check: try await check(using: &random)
        }
        try settleDoubts(using: &random)
    }

    /// True where the run should end with its last check. What nobody reads, as what a dead record holds, is in doubt
    /// until somebody does; each such record doubles what may be.
    var isInDoubt: Bool { judge.possibilities > Episode.possibilitiesMax }

    /// So many that what one push leaves open can be followed besides.
    private static let possibilitiesMax = 16

    /// True where more was in doubt than is followed: what the model says is no proof of anything.
    var isUndecided: Bool { judge.isUndecided }

    /// Whether the device waits for an answer.
    func isWaiting(_ number: Int) -> Bool {
        held.contains { $0.isAwaited && $0.request.sender == devices[number].id }
    }

    /// Whether the server answers requests in the version.
    func isServed(_ version: Int) -> Bool { ended[version] == nil && isKnown(version) }

    /// Whether the server knows the version yet.
    private func isKnown(_ version: Int) -> Bool {
        guard let heldBackAt, site.isHeldBack else { return true }
        return version <= heldBackAt
    }

    /// Whether the server takes what was written in the versions of these.
    func areServed(_ changes: [Change]) -> Bool {
        changes.allSatisfy { isKnown($0.version) && ended[$0.version] != .closed }
    }

    /// Otherwise it is refused, and all of it comes again.
    func isServed(_ request: Request) -> Bool { isServed(request.version) && areServed(request.changes ?? []) }

    private func migrate() async throws {
        guard site.isHeldBack else { return }
        try await site.migrate()
        judge.migrate()
        try await beginToRefuse()
    }
}

/// What has happened in a run, for its report.
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

/// The vocabularies of an app's versions, each made when it is first needed.
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

import PGStore
import SyncEngine
import SyncServer
import SyncSimulator
import SyncTestSupport
import Synchronization
import WireFormats

/// Members of spaces who ask two servers over one database for everything that members can ask for, several at the same
/// time: they invite, join, leave, remove each other, end spaces and accounts, and push and pull meanwhile, some of it
/// with bodies that take their time. Some have names that Unicode counts as the same.
///
/// Every few steps all stop, and what was asked and answered is compared with the model and with the database.
final class MemberFleet: Sendable {
    let server: TestServer
    let ports: [Int]
    let issuer: TestIssuer
    let seed: UInt64
    /// One in a hundred steps each.
    let drills: [FleetDrill]
    let world = FleetWorld()
    private let key: SigningKey
    private let people: Mutex<[Subject: FleetMember]>
    private let guests = Mutex(0)

    private static let workersCount = 6
    /// Between two looks into the database. Few, so that what cannot be has a short history.
    private static let turnSteps = 60

    /// Names of which each pair is equal as Swift's strings.
    private static let signedNames = ["jos\u{E9}", "jose\u{301}", "Karl", "\u{212A}arl", "bela"]
    private static let ownNames = ["\u{C5}sa", "\u{212B}sa", "anna"]

    init(_ server: TestServer, ports: [Int], issuer: TestIssuer, key: SigningKey, drills: [FleetDrill], seed: UInt64) {
        (self.server, self.ports, self.issuer, self.drills, self.seed) = (server, ports, issuer, drills, seed)
        self.key = key
        let members =
            MemberFleet.signedNames.map { FleetMember($0, .provider(issuer, key)) }
            + MemberFleet.ownNames.map { FleetMember($0, .own(server)) }
        self.members = members
        people = Mutex(Dictionary(uniqueKeysWithValues: members.map { ($0.subject, $0) }))
    }

    /// The members of the whole run.
    let members: [FleetMember]

    /// Two whose names differ in their bytes only.
    func twins(_ random: inout SplitMix64) -> [FleetMember] {
        let first = [0, 2, MemberFleet.signedNames.count].randomElement(using: &random) ?? 0
        return Array(members[first...(first + 1)]).shuffled(using: &random)
    }

    func member(_ subject: Subject) -> FleetMember? { people.withLock { $0[subject] } }

    /// Somebody whom nobody knows yet.
    func guest(_ random: inout SplitMix64) -> FleetMember {
        let number = guests.withLock { number in
            number += 1
            return number
        }
        let source: FleetMember.Source = Bool.random(using: &random) ? .own(server) : .provider(issuer, key)
        let guest = FleetMember("guest \(number)", source)
        people.withLock { $0[guest.subject] = guest }
        return guest
    }

    /// None listens there.
    struct NoServer: Error {}

    /// The result of a run.
    struct Report: CustomStringConvertible {
        let seed: UInt64
        var steps = 0
        var statuses: [Int: Int] = [:]
        var fault: String?
        var time = Duration.zero

        var description: String {
            let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
            let rest = fault.map { ". \($0)" } ?? ", clean"
            return "members: seed \(seed), \(steps) steps in \(time), \(counts)\(rest)"
        }
    }

    /// Goes on until so many steps are done, or something was that cannot be.
    func run(steps: Int) async throws -> Report {
        let start = ContinuousClock.now
        var report = Report(seed: seed)
        var ledger = FleetLedger(start: start)
        var workers = (0..<MemberFleet.workersCount).map { FleetWorker(self, seed: seed &+ UInt64($0)) }
        while report.steps < steps, report.fault == nil {
            workers = try await withThrowingTaskGroup { group in
                for worker in workers {
                    group.addTask {
                        var worker = worker
                        try await worker.work(MemberFleet.turnSteps / MemberFleet.workersCount)
                        return worker
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let requests = world.turn()
            let audit = try await FleetAudit.taken(of: server)
            report.steps += requests.count
            for request in requests { report.statuses[request.status, default: 0] += 1 }
            report.fault = ledger.fault(in: requests, audit)
            world.correct(audit)
        }
        report.time = .now - start
        return report
    }
}

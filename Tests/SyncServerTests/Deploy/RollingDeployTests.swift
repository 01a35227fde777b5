import DemoApps
import Foundation
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Synchronization
import Testing
import WireFormats

/// FitIQ from its first version to its last, release by release, each deployed beside the one before, under a fleet
/// that never stops. `script/rolling-deploy` does it with large tables, and then says how long a reader waited at most.
@Suite struct RollingDeployTests {
    private static let households = 4
    /// Requests that the servers of each constellation must have answered before the next begins.
    private static let requestsPerStage = 40
    /// The longest wait of a reader, where the tables are large and the machine is quiet.
    private static let blockMax = Duration.milliseconds(100)

    /// The number of rows in each table, and whether the run is measured.
    private static var rows: (count: Int, areMeasured: Bool) {
        let stated = ProcessInfo.processInfo.environment["ROLLING_ROWS"].flatMap { Int($0) }
        return (stated ?? 500, stated != nil)
    }

    @Test("P3, P7, M23, M26: a release is deployed beside the one before, without an error or a wait for clients")
    func aReleaseIsDeployedBesideTheOneBefore() async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let releases = try await Release.all(FitIQPlan.self)
        defer { for release in releases { release.remove() } }
        try await withTestDatabase { database in
            let fleet = Fleet()
            let reader = Reader(tables: try Plan(FitIQPlan.self).cut(after: 0).hub)
            try await Migrator(database.connectionString, lines: releases[0].lines).up()
            let admin = try await Session.open(database.superuserConnectionString)
            let spaces = (0..<Self.households).map { _ in ID.random() }
            let token = try await admin.grant(spaces)
            var old = try await Server(releases[0], database)
            fleet.balancer.point(to: [old.port])
            try await withThrowingTaskGroup { group in
                for (index, space) in spaces.enumerated() {
                    let household = try Household(
                        FitIQPlan.self, fleet.balancer, space: space, token: token, seed: seed &+ UInt64(index))
                    group.addTask { try await fleet.run(household) }
                }
                group.addTask { try await reader.run(database, until: fleet.isOver) }
                defer { fleet.over.store(true, ordering: .releasing) }
                for (index, release) in releases.enumerated().dropFirst() {
                    try await admin.fill(releases[index - 1].hub, count: Self.rows.count)
                    let migrator = Migrator(database.connectionString, lines: release.lines)
                    try await migrator.up(report: reader.note)
                    let new = try await Server(release, database)
                    fleet.balancer.point(to: [old.port, new.port])
                    guard try await fleet.waitUntil(new.port, answered: Self.requestsPerStage) else { break }
                    fleet.newest.store(index, ordering: .releasing)
                    guard try await fleet.waitUntil(new.port, answered: 2 * Self.requestsPerStage) else { break }
                    // Its last answers never arrive.
                    fleet.balancer.point(to: [new.port])
                    await old.process.kill9()
                    try await Self.contract(migrator, reader)
                    old = new
                }
                fleet.over.store(true, ordering: .releasing)
                try await group.waitForAll()
                let block = reader.longest
                print(
                    "seed \(seed): \(fleet.summary), longest block of a reader \(block), "
                        + "and \(reader.longestOtherwise) while no step was at work")
                if Self.rows.areMeasured { #expect(block.took < Self.blockMax) }
                #expect(fleet.balancer.tally.outdated > 0, "no server was ever outdated, so nothing was mixed")
            }
            await old.process.kill9()
            await admin.close()
        }
    }

    /// A server that was killed is present until PostgreSQL notices.
    private static func contract(_ migrator: Migrator, _ reader: Reader) async throws {
        try await eventually("no server of before is there") {
            try await migrator.up(contracts: .run, report: reader.note).left.isEmpty
        }
    }
}

/// The devices of all households, and the deploy's events for them.
private final class Fleet: Sendable {
    let balancer = Balancer()
    let newest = Atomic(0)
    let over = Atomic(false)
    private let changes = Atomic(0)
    private let records = Atomic(0)

    var isOver: @Sendable () -> Bool { { [self] in over.load(ordering: .acquiring) } }

    func run(_ household: Household) async throws {
        var household = household
        do {
            while !isOver() { try await household.live(newest: newest.load(ordering: .acquiring)) }
        } catch {
            // Or the deploy would wait for requests that nobody makes.
            over.store(true, ordering: .releasing)
            throw error
        }
        try await household.check()
        changes.add(household.changes, ordering: .relaxed)
        records.add(household.records, ordering: .relaxed)
    }

    /// Until a server has answered so many requests; the households make them without a pause.
    ///
    /// - Returns: whether they still do.
    func waitUntil(_ port: Int, answered count: Int) async throws -> Bool {
        try await eventually("\(count) requests answered", within: .seconds(120)) { [self] in
            isOver() || balancer.tally.answered[port, default: 0] >= count
        }
        return !isOver()
    }

    var summary: String {
        let tally = balancer.tally
        let answered = tally.answered.values.reduce(0, +)
        return "\(changes.load(ordering: .relaxed)) changes, \(records.load(ordering: .relaxed)) records pulled, "
            + "\(answered) requests; sent again: \(tally.outdated) for an outdated server, \(tally.lost) for a lost one"
    }
}

/// A server of a release, as a process of its own.
private struct Server {
    let process = ServerProcess()
    let port: Int

    init(_ release: Release, _ database: TestDatabase) async throws {
        port = try await process.start(
            database.connectionString, migrations: release.folder.path,
            ["--allow-unfrozen", "--no-gc", "--through", "\(FitIQPlan.app)/\(release.version)"])
    }
}

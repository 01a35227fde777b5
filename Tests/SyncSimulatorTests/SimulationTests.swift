import DemoApps
import Foundation
import PlantedBugs
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncSimulator
@testable import Workshop

/// The simulator's check of promises P1 to P4 and P10 for mixed fleets under every fault, and its power to find
/// violations. The tests run one after the other, because each has a cluster of its own.
@Suite(.serialized) struct SimulationTests {
    /// Fleets with an old, a middle and the newest version.
    private static let fleets: [String: [Int]] = [
        "fitiq": [2, 2, 6, 6, 10, 10], "keeptrack": [0, 0, 1, 1, 2, 2], "allesteurer": [0, 0, 0, 1, 1, 1],
        "easitopen": [0, 0, 1, 2, 3, 3],
    ]
    /// The faults, without other orders of pushes: `script/full.d/soak` tests these, which takes as long as all the
    /// rest.
    private static let faults = Set(Fault.allCases).subtracting([.order])
    private static let steps = 1000
    /// A fixed seed, so that a failure of a push is due to the change that was pushed; `script/full.d/soak` draws new
    /// ones. Times and threads still differ from run to run.
    private static let seed: UInt64 = 20_261_121

    @Test(
        "S1_11, S2_08, S5_14: a fleet under all faults agrees with the model",
        arguments: DemoApps.all.map { $0.app })
    func aFleetUnderAllFaultsHoldsWhatTheModelSays(app: String) async throws {
        let seed = SimulationTests.seed
        let report = try await SimulationTests.simulate(
            app, fleet: try #require(SimulationTests.fleets[app]), faults: SimulationTests.faults,
            steps: SimulationTests.steps, seed: seed)
        print(report.text)
        #expect(report.isClean, "\(report.text)")
    }

    /// A server with a plan of its own that has every kind of declaration.
    @Test func soDoesAFleetOfAnAppWithEverything() async throws {
        let report = try await SimulationTests.simulate(
            WorkshopPlan.app, fleet: [0, 0, 1, 1, 2, 2], faults: SimulationTests.faults,
            steps: SimulationTests.steps, seed: SimulationTests.seed)
        print(report.text)
        #expect(report.isClean, "\(report.text)")
    }

    /// The tables are changed while the server runs.
    @Test func soDoesAFleetOfAnAppThatConvertsEverything() async throws {
        let report = try await SimulationTests.simulate(
            TripsPlan.app, fleet: [0, 0, 1, 1, 2, 2], faults: SimulationTests.faults,
            steps: SimulationTests.steps, seed: SimulationTests.seed)
        print(report.text)
        #expect(report.isClean, "\(report.text)")
    }

    /// Some versions have texts for ids that are UUIDs in others.
    @Test func soDoesAFleetOfAnAppWhoseIDsAreTexts() async throws {
        let report = try await SimulationTests.simulate(
            TagsPlan.app, fleet: [0, 1, 1, 2, 2, 2], faults: SimulationTests.faults,
            steps: SimulationTests.steps, seed: SimulationTests.seed)
        print(report.text)
        #expect(report.isClean, "\(report.text)")
    }

    /// A planted bug of the engine, with a fleet and a seed that find it soon.
    struct Plant: Sendable, CustomTestStringConvertible {
        let bug: PlantedBug
        let app: String
        let fleet: [Int]
        let faults: Set<Fault>
        var seed = SimulationTests.seed

        var testDescription: String { bug.rawValue }
    }

    /// Planted bugs, one for each of the gaps H1 to H10 in the record of what a device has read, sent and received; H7,
    /// a slow plan, is left out. One more, `newer-cursor-goes-on`, takes long, and `script/full.d/soak` looks for it.
    private static let allPlants = [
        Plant(bug: .lostStamp, app: "keeptrack", fleet: [0, 1, 2, 2], faults: []),
        Plant(bug: .headBeforeLock, app: "keeptrack", fleet: [0, 1, 2, 2], faults: []),
        Plant(bug: .deleteRuleSkipped, app: "fitiq", fleet: [2, 6, 10], faults: []),
        Plant(bug: .retryApplied, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.duplicate, .reorder]),
        Plant(bug: .wideningCutShort, app: "fitiq", fleet: [2, 2, 4, 6], faults: [.upgrade], seed: 5),
        Plant(bug: .clampRemoved, app: "keeptrack", fleet: [0, 0, 1, 1, 1, 2, 2, 2], faults: [.skew]),
        Plant(bug: .pageBoundary, app: "keeptrack", fleet: [0, 1, 2, 2], faults: []),
        Plant(bug: .thinPageLast, app: "allesteurer", fleet: [0, 0, 1, 1, 1], faults: []),
        Plant(bug: .echoWrittenBack, app: "fitiq", fleet: [6, 6, 6, 6, 6, 10, 10], faults: []),
        Plant(bug: .quarantineDropped, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.refusal]),
        Plant(bug: .epochIgnored, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.epoch], seed: 6),
        // H1
        Plant(bug: .staleHeld, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.again, .reorder, .overlap]),
        // H2
        Plant(bug: .rangesOfDevice, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.restore, .dropResponse]),
        // H3
        Plant(bug: .repetitionUnheld, app: "allesteurer", fleet: [0, 0, 0, 1, 1], faults: []),
        // H4
        Plant(bug: .hiddenReferenceErased, app: "fitiq", fleet: [2, 2, 2, 2, 6, 6, 10], faults: [.whole]),
        // H5
        Plant(
            bug: .wholeJudgedAgain, app: "keeptrack", fleet: [0, 0, 0, 1, 1, 1, 2, 2], faults: [.whole, .again]),
        // H6
        Plant(bug: .partsShareStamp, app: "fitiq", fleet: [6, 6, 7, 7, 7, 7, 10], faults: [], seed: 3),
        // H8
        Plant(bug: .refusalForgotten, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.wipe, .again], seed: 1),
        // H9
        Plant(
            bug: .clampsUnordered, app: "keeptrack", fleet: [0, 0, 1, 1, 1, 2, 2, 2], faults: [.skew, .overlap]),
        // H10
        Plant(
            bug: .unstampedLoses, app: "keeptrack", fleet: [0, 0, 1, 1, 1, 2, 2, 2], faults: [.unstamped, .skew]),
        Plant(bug: .tieByArrival, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.tie]),
        Plant(bug: .oldOutboxDropped, app: "keeptrack", fleet: [0, 1, 1, 2], faults: [.upgrade, .retirement]),
        Plant(bug: .headRemembered, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.servers]),
        Plant(bug: .deletedComesBack, app: "keeptrack", fleet: [0, 1, 2, 2], faults: []),
        Plant(
            bug: .decidedCountsAgain, app: "workshop", fleet: [0, 0, 1, 1, 2, 2], faults: [.migration, .again]),
        Plant(bug: .staleMapBelieved, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.databases, .servers]),
        Plant(bug: .bucketTwice, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.databases, .servers]),
        Plant(bug: .moveForgetsLast, app: "keeptrack", fleet: [0, 1, 2, 2], faults: [.databases]),
    ]

    /// Each bug is found in far fewer steps, except those that depend on timing.
    private static let stepsToFind = 12_000

    /// The bugs that CI plants, each about a different subject. `script/full` plants all of them, which takes ten
    /// seconds each.
    static let plants =
        ProcessInfo.processInfo.environment["SIMULATOR_PLANTS"] == "all"
        ? allPlants
        : allPlants.filter { plant in
            [.lostStamp, .deleteRuleSkipped, .wideningCutShort, .epochIgnored, .staleMapBelieved].contains(plant.bug)
        }

    @Test(arguments: plants)
    func aPlantedBugIsFound(plant: Plant) async throws {
        let seed = plant.seed
        let report = try await SimulationTests.simulate(
            plant.app, fleet: plant.fleet, faults: plant.faults, steps: SimulationTests.stepsToFind, seed: seed,
            planting: plant.bug)
        let failure = try #require(report.failure, "seed \(seed): \(plant.bug.rawValue) was not found\n\(report.text)")
        print("\(plant.bug.rawValue): seed \(seed), found after \(report.steps) steps: \(failure.breach)")
        // The same run without the bug passes: so the bug alone caused the failure.
        let clean = try await SimulationTests.simulate(
            plant.app, fleet: plant.fleet, faults: plant.faults, steps: report.steps + 1, seed: seed)
        #expect(clean.isClean, "\(clean.text)")
    }

    /// A failing run stops before its versions are restored, and its other steps run on the same site.
    @Test func aRunMeetsNoVersionThatAnEarlierOneEnded() async throws {
        let program = Site.Program(
            executable: try ServerProcess.executable(), migrations: Repository.migrationsDirectory)
        try await SimulationTests.withSimulation(KeepTrackPlan.self, program) { simulation in
            for kind in [Step.Kind.retire, .sync] {
                let report = try await simulation.replay(
                    Script(
                        app: "keeptrack", fleet: [1, 2], faults: [.retirement], seed: 1, heldBackAt: nil,
                        steps: [Step(kind, time: 0)]))
                #expect(report.isClean, "\(report.text)")
            }
        }
    }

    private static func simulate(
        _ app: String, fleet: [Int], faults: Set<Fault>, steps: Int, seed: UInt64, planting bug: PlantedBug? = nil
    ) async throws -> SimulationReport {
        let ofWorkshop: [any SchemaMigrationPlan.Type] = [WorkshopPlan.self, TripsPlan.self, TagsPlan.self]
        let declaration = try #require((DemoApps.all + ofWorkshop).first { $0.app == app })
        let isOfWorkshop = ofWorkshop.contains { $0.app == app }
        let program = Site.Program(
            executable: try ServerProcess.executable(isOfWorkshop ? "Workshop" : "syncserver"),
            migrations: isOfWorkshop ? Repository.root + "/Tests/Workshop/Migrations" : Repository.migrationsDirectory,
            environment: bug.map { ["SYNCSERVER_PLANT": $0.rawValue] } ?? [:])
        return try await withSimulation(declaration, program) { simulation in
            try await simulation.run(
                Simulation.Setting(fleet: fleet, faults: faults, steps: steps, seed: seed),
                tries: bug == nil ? Simulation.triesDefault : 0)
        }
    }

    /// Lends a simulation, and stops its server and drops its database afterwards.
    private static func withSimulation<Result: Sendable>(
        _ declaration: any SchemaMigrationPlan.Type, _ program: Site.Program,
        _ body: (Simulation) async throws -> Result
    ) async throws -> Result {
        let simulation = try Simulation(declaration, program)
        do {
            let result = try await body(simulation)
            await simulation.close()
            return result
        } catch {
            await simulation.close()
            throw error
        }
    }
}

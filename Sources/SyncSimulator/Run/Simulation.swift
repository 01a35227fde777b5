import Foundation
import Postgres
package import WireFormats

/// A simulation of many devices, in several versions of an app, against one server, under faults. Each run has a space
/// of its own, and a model judges whether the server's answers are right.
package actor Simulation {
    private let queue = BlockingQueue(label: "simulation")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private let declaration: any SchemaMigrationPlan.Type
    private let plan: Plan
    private let program: Site.Program
    private let shelf: Shelf
    private var site: Site?
    /// The failure of the shortest list of steps that has failed so far, while the simulation searches for a shorter
    /// list.
    private var smallest: SimulationReport.Failure?

    /// The number of steps in one run. They are enough for every kind of event to happen in one space, and few enough
    /// to find those that matter after a failure.
    package static let stepsPerRun = 2000
    /// The interval of the runs with a migration: the first run and every tenth after it start with a server that has
    /// an older plan. There are few of them because each needs a database of its own.
    private static let migratedRuns = 10
    /// The default for the maximum number of tries to make a failed run shorter. It is chosen for the time that a
    /// person will wait.
    package static let triesDefault = 250

    /// The parameters of a simulation.
    package struct Setting: Sendable {
        /// Each device's version, as an index into the plan's `shapes`.
        package let fleet: [Int]
        package let faults: Set<Fault>
        package let steps: Int
        package let seed: UInt64

        package init(fleet: [Int], faults: Set<Fault>, steps: Int, seed: UInt64) {
            (self.fleet, self.faults, self.steps, self.seed) = (fleet, faults, steps, seed)
        }
    }

    /// A report on the progress of a simulation.
    package enum Progress: Sendable {
        case steps(done: Int, all: Int)
        /// A run failed. The simulation now searches for fewer steps that also fail.
        case failed(Breach, steps: Int)
        /// A failed run is made shorter: the number of the next try, and the number of steps that are left.
        case shrinking(tries: Int, steps: Int)
    }

    /// Compiles the app's plan.
    ///
    /// - Throws: `PlanError`.
    package init(_ declaration: any SchemaMigrationPlan.Type, _ program: Site.Program) throws {
        self.declaration = declaration
        plan = try Plan(declaration)
        self.program = program
        shelf = Shelf(plan)
    }

    /// Runs until all steps are done or a run fails.
    ///
    /// - Parameter tries: the maximum number of tries to make a failed run shorter by leaving out steps.
    package func run(
        _ setting: Setting, tries: Int = triesDefault, progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> SimulationReport {
        var report = SimulationReport(plan: plan, setting: setting)
        let began = ContinuousClock.now
        var random = SplitMix64(seed: setting.seed)
        while report.steps < setting.steps, report.failure == nil {
            let script = script(setting, at: report.runs, left: setting.steps - report.steps, using: &random)
            report.runs += 1
            let outcome = try await perform(script)
            report.take(outcome)
            if let failure = outcome.failure {
                report.elapsed = .now - began
                progress(.failed(failure.breach, steps: failure.steps))
                report.failure = tries > 0 ? try await shrunk(script, failure, tries, progress) : failure
            }
            progress(.steps(done: report.steps, all: setting.steps))
        }
        if report.failure == nil { report.elapsed = .now - began }
        return report
    }

    /// Runs one script again, without making it shorter if it fails.
    package func replay(_ script: Script) async throws -> SimulationReport {
        var report = SimulationReport(
            plan: plan,
            setting: Setting(
                fleet: script.fleet, faults: script.faults, steps: script.steps.count, seed: script.seed))
        let began = ContinuousClock.now
        let outcome = try await perform(script)
        report.runs = 1
        report.take(outcome)
        report.failure = outcome.failure
        report.elapsed = .now - began
        return report
    }

    /// Stops the server and its database.
    package func close() {
        site?.close()
        site = nil
    }

    /// The outcome of one run.
    struct Outcome {
        var steps = 0
        var tally = Tally()
        /// True if the run ended without a result, because the space had more possible contents than the model can
        /// follow.
        var isUndecided = false
        var failure: SimulationReport.Failure?
    }

    private func script(
        _ setting: Setting, at run: Int, left: Int, using random: inout SplitMix64
    ) -> Script {
        let seed = random.next()
        let oldest = setting.fleet.map { plan.version(of: $0) }.min() ?? plan.newest
        // The server is held back to a version that some device has, below the newest.
        let isMigrated =
            setting.faults.contains(.migration) && run % Simulation.migratedRuns == 0 && oldest < plan.newest
        let heldBackAt = isMigrated ? oldest + Int(seed % UInt64(plan.newest - oldest)) : nil
        let source = StepSource(devices: setting.fleet.count, faults: setting.faults, isMigrated: isMigrated)
        return Script(
            app: plan.app, fleet: setting.fleet, faults: setting.faults, seed: seed, heldBackAt: heldBackAt,
            steps: source.steps(min(left, Simulation.stepsPerRun), seed: seed))
    }

    private func perform(_ script: Script) async throws -> Outcome {
        let site = try await openSite()
        let servers = script.faults.contains(.servers) ? 2 : 1
        let isDivided = script.faults.contains(.databases)
        if let heldBackAt = script.heldBackAt {
            try await site.serveNewDatabase(
                through: "\(plan.app)/\(plan.schemas[heldBackAt].version)", servers: servers, isDivided: isDivided)
        } else if site.starts == 0 || site.isHeldBack || site.ports.count != servers
            || (site.second != nil) != isDivided
        {
            try await site.serveNewDatabase(through: nil, servers: servers, isDivided: isDivided)
        }
        // A run that failed may have left versions retired.
        try await site.restoreVersions(of: plan.app)
        let episode = try await Episode(
            declaration, plan, site, shelf, fleet: script.fleet, faults: script.faults, heldBackAt: script.heldBackAt,
            seed: script.seed, startingAt: Int64(Date().timeIntervalSince1970 * 1000))
        var outcome = Outcome()
        var (index, last) = (0, script.steps.count - 1)
        while index <= last, !outcome.isUndecided {
            do {
                try await episode.perform(script.steps[index])
                outcome.steps += 1
                outcome.isUndecided = episode.isUndecided
                index = episode.isInDoubt ? max(index + 1, last) : index + 1
            } catch is Undecided {
                outcome.isUndecided = true
            } catch {
                let breach: Breach
                switch error {
                case let found as Breach: breach = found
                case let lost as HTTPConnection.Failure:
                    breach = Breach("the connection failed (\(lost))\n\(site.lastWords)")
                default: throw error
                }
                var failed = script
                failed.steps = Array(script.steps.prefix(index + 1))
                outcome.failure = SimulationReport.Failure(
                    breach: breach, script: failed, steps: index + 1, story: episode.story.lines(plan, about: breach),
                    isReproduced: true)
                break
            }
        }
        outcome.tally = episode.tally
        return outcome
    }

    private func openSite() async throws -> Site {
        if let site { return site }
        let opened = try await Site.open(program)
        site = opened
        return opened
    }

    private func shrunk(
        _ script: Script, _ failure: SimulationReport.Failure, _ tries: Int,
        _ progress: @escaping @Sendable (Progress) -> Void
    ) async throws -> SimulationReport.Failure {
        let shrinker = Shrinker(triesMax: tries) { progress(.shrinking(tries: $0, steps: $1)) }
        smallest = nil
        // A failure that depends on the moment of a kill, or on the order in a burst, may not happen twice.
        if let needed = try await stepsToFail(failure.script.steps, of: script) {
            let steps = Array(failure.script.steps.prefix(needed))
            _ = try await shrinker.shrink(steps) { try await self.stepsToFail($0, of: script) }
        }
        guard let smallest else {
            return SimulationReport.Failure(
                breach: failure.breach, script: failure.script, steps: failure.steps, story: failure.story,
                isReproduced: false)
        }
        return SimulationReport.Failure(
            breach: smallest.breach, script: smallest.script, steps: failure.steps, story: smallest.story,
            isReproduced: true)
    }

    /// Runs the given steps, and returns the number of steps up to the failure; `nil` if the run does not fail.
    ///
    /// - Parameter script: the script that the steps are from. Its devices and faults are used.
    private func stepsToFail(_ steps: [Step], of script: Script) async throws -> Int? {
        var part = script
        part.steps = steps
        guard let failure = try await perform(part).failure else { return nil }
        smallest = failure
        return failure.script.steps.count
    }
}

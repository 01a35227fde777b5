import Foundation
import SyncCommands
import SyncSimulator
import WireFormats

/// The command `syncserver compat --fleet`, in which devices of several versions sync together while faults occur.
struct FleetCommand {
    private let declaration: any SchemaMigrationPlan.Type
    private let plan: Plan
    private let program: Site.Program
    private let asJSON: Bool

    /// Runs a simulation with the options of the command `syncserver compat --fleet`, and returns the exit status.
    static func run(_ options: Options) async throws -> Int32 {
        let plan = try Environment.plan(options)
        let command = FleetCommand(
            declaration: try Environment.declaration(plan.app), plan: plan, program: try program(options),
            asJSON: options.has("json"))
        let simulation = try Simulation(command.declaration, command.program)
        do {
            let report = try await command.report(simulation, options)
            await simulation.close()
            Terminal.endProgress()
            return try command.printReport(report, options)
        } catch {
            await simulation.close()
            throw error
        }
    }

    static func program(_ options: Options) throws -> Site.Program {
        Site.Program(
            executable: try server(options), migrations: try Environment.migrationsDirectory(options),
            environment: Environment.variable("SYNCSERVER_PLANT").map { ["SYNCSERVER_PLANT": $0] } ?? [:])
    }

    /// Returns the path of the program that serves the app: the value of the option `--server`, or else the one beside
    /// this program.
    private static func server(_ options: Options) throws(CommandError) -> String {
        let program = options["server"] ?? CompatSpec.server(beside: Environment.programPath ?? "/proc/self/exe")
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: program, isDirectory: &isFolder), !isFolder.boolValue,
            FileManager.default.isExecutableFile(atPath: program)
        else {
            throw CommandError("\(program) is no program. Build the server, or name it with ‘--server FILE’.")
        }
        return program
    }

    private func report(_ simulation: Simulation, _ options: Options) async throws -> SimulationReport {
        if let file = options["steps-file"], options["fleet"] == nil {
            let script: Script
            do {
                script = try Script(contentsOf: file)
            } catch {
                throw CommandError("\(file) is no file of steps: \(error)")
            }
            guard script.app == plan.app else { throw CommandError("\(file) is for \(script.app).") }
            return try await simulation.replay(script)
        }
        guard let seed = UInt64(options["seed"] ?? "\(UInt64.random(in: 1...UInt64(Int64.max)))") else {
            throw UsageError("‘--seed’ takes a whole number.")
        }
        guard let faults = Fault.set(options["faults"] ?? "all") else {
            let names = Fault.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("‘--faults’ takes all, none, some of \(names), or all but some, as in all,-kill.")
        }
        let setting = Simulation.Setting(
            fleet: try FleetCommand.fleet(try options.required("fleet"), of: plan), faults: faults,
            steps: try options.integer("steps", atLeast: 1) ?? 20_000, seed: seed)
        Terminal.progress("seed \(seed)")
        let tries = try options.integer("tries", atLeast: 0) ?? Simulation.triesDefault
        return try await simulation.run(setting, tries: tries) { progress in
            switch progress {
            case .steps(let done, let all): Terminal.progress("\(done) of \(all) steps, seed \(seed)")
            case .failed(let breach, let steps):
                Terminal.endProgress()
                Terminal.note("Seed \(seed) failed after \(steps) steps of a run; looking for those that matter.")
                Terminal.note("\(breach)")
            case .shrinking(let tries, let steps):
                Terminal.progress("shrinking, try \(tries): \(steps) steps")
            }
        }
    }

    /// Parses the value of the option `--fleet`, and returns the version of each device, as an index in the plan's
    /// `shapes`.
    ///
    /// For instance, `3:4,0.0.8:2` means four devices of the third version, and two devices of version 0.0.8.
    static func fleet(_ text: String, of plan: Plan) throws(UsageError) -> [Int] {
        var devices: [Int] = []
        for part in text.split(separator: ",") {
            let words = part.split(separator: ":")
            guard (1...2).contains(words.count), let count = words.count == 2 ? Int(words[1]) : 1,
                (1...FleetCommand.devicesMax).contains(count), let position = position(String(words[0]), of: plan)
            else {
                throw UsageError(
                    "‘--fleet’ takes versions of \(plan.app), by place from 1 or by number, and how many devices: "
                        + "1:2,\(plan.schemas[plan.newest].version):3. ‘\(part)’ is none.")
            }
            devices += Array(repeating: position, count: count)
        }
        if devices.isEmpty { throw UsageError("‘--fleet’ names no device.") }
        return devices
    }

    /// The maximum number of devices of one version. More would only make each check slower.
    private static let devicesMax = 100

    private static func position(_ text: String, of plan: Plan) -> Int? {
        if let number = Int(text) { return plan.schemas.indices.contains(number - 1) ? number - 1 : nil }
        return ShapeName(text).flatMap { plan.index(of: $0) }
    }

    private func printReport(_ report: SimulationReport, _ options: Options) throws -> Int32 {
        Terminal.print(asJSON ? report.json : report.text)
        guard let failure = report.failure else { return 0 }
        let file = options["steps-file"] ?? "simulation-\(report.setting.seed).json"
        let story = (file.hasSuffix(".json") ? String(file.dropLast(5)) : file) + ".txt"
        do {
            try failure.script.write(to: file)
            try Data((failure.story.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: story))
        } catch {
            throw CommandError("\(file) or \(story) cannot be written: \(error.localizedDescription)")
        }
        if failure.story.count > SimulationReport.linesShownMax { Terminal.note("all lines: \(story)") }
        Terminal.note("again: \(Terminal.command) compat --app \(plan.app) --steps-file \(file)")
        return 1
    }
}

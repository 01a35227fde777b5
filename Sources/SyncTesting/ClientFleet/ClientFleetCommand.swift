import PGStore
import Postgres
import StrictJSON
import SyncCommands
import SyncSimulator
import WireFormats

/// The command `syncserver compat --fleet … --client …`, in which an app's own builds sync together while faults occur.
enum ClientFleetCommand {
    /// The kinds of faults that can be caused if the devices are processes.
    private static let possible: Set<Fault> = [
        .dropRequest, .dropResponse, .cut, .duplicate, .delay, .kill, .skew, .upgrade, .gc, .epoch,
        .migration, .retirement,
    ]

    static func run(_ options: Options, clients: [Int: String]) async throws -> Int32 {
        let plan = try Environment.plan(options)
        let fleet = try FleetCommand.fleet(try options.required("fleet"), of: plan)
        if let index = fleet.first(where: { clients[$0] == nil }) {
            throw UsageError(
                "With ‘--client’, every device of a fleet is a build of yours: ‘--client "
                    + "\(plan.name(of: index))=COMMAND’ is missing.")
        }
        guard let seed = UInt64(options["seed"] ?? "\(UInt64.random(in: 1...UInt64(Int64.max)))") else {
            throw UsageError("‘--seed’ takes a whole number.")
        }
        guard let faults = Fault.set(options["faults"] ?? "all") else {
            throw UsageError("‘--faults’ takes all, none, or names; see ‘\(Terminal.command) compat --help’.")
        }
        let setting = ClientFleet.Setting(
            fleet: fleet, clients: clients, steps: try options.integer("steps", atLeast: 1) ?? 20_000, seed: seed,
            faults: faults.intersection(possible))
        let run = try await ClientFleet(plan, setting, try FleetCommand.program(options))
        Terminal.progress("seed \(seed)")
        do {
            let tally = try await run.run { Terminal.progress("\($0) of \($1) steps, seed \(seed)") }
            await run.close()
            Terminal.endProgress()
            Terminal.print(options.has("json") ? json(tally, seed) : text(tally, setting, plan))
            return 0
        } catch let failure as CompatFailure {
            await run.close()
            Terminal.endProgress()
            Terminal.print(options.has("json") ? json(run.tally, seed, failure) : "\(failure)")
            return 1
        } catch {
            await run.close()
            throw error
        }
    }

    private static func text(_ tally: ClientFleet.Tally, _ setting: ClientFleet.Setting, _ plan: Plan) -> String {
        """
        \(setting.fleet.count) devices, \(tally.steps) steps, seed \(setting.seed): no device differs, nothing is lost
        edits \(tally.edits), syncs \(tally.syncs), killed in a sync \(tally.kills)
        devices updated \(tally.updates), replaced \(tally.replacements)
        server deployed anew \(tally.deploys), started again \(tally.serverStarts)
        database put back \(tally.restores), collected \(tally.collections) times; versions ended \(tally.retirements)
        checked \(tally.checks) times, \(tally.own) times a record that one device alone wrote
        """
    }

    private static func json(_ tally: ClientFleet.Tally, _ seed: UInt64, _ failure: CompatFailure? = nil) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("isGreen", failure == nil)
            writer.member("failure", failure?.description)
            writer.member("seed", Int64(clamping: seed))
            let counts = [
                ("steps", tally.steps), ("edits", tally.edits), ("syncs", tally.syncs), ("kills", tally.kills),
                ("updates", tally.updates), ("replacements", tally.replacements), ("deploys", tally.deploys),
                ("serverStarts", tally.serverStarts), ("restores", tally.restores),
                ("collections", tally.collections), ("retirements", tally.retirements), ("checks", tally.checks),
                ("own", tally.own),
            ]
            for (name, count) in counts { writer.member(name, count) }
            writer.endObject()
        }
    }
}

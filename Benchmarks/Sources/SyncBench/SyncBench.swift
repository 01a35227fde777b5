import BenchSupport
import Foundation

/// Measures a server beside plain SQL on the same PostgreSQL, in one run: pushes, updates, pulls and polls of the
/// oldest and the newest version.
@main
struct SyncBench {
    static func main() {
        do {
            try run(Options(CommandLine.arguments.dropFirst()))
        } catch {
            note("\(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) throws {
        let server = try ServerProcess.start()
        defer { server.stop() }
        let stage = try Stage(server: server)
        let workloads = Workload.all(on: stage).filter { options.only.map($0.title.contains) ?? true }
        let rounds = try (1...options.rounds).map { round in
            note("Round \(round) of \(options.rounds)")
            // Every other round backwards, so that what a workload leaves behind burdens each of its neighbours.
            let order = round % 2 == 1 ? workloads : workloads.reversed()
            return try Dictionary(
                uniqueKeysWithValues: order.map { ($0.id, try $0.measured(for: options.seconds)) })
        }
        let report = Report(
            workloads: workloads, rounds: rounds, seconds: options.seconds, postgres: try stage.postgresVersion())
        print(options.json ? try report.json() : report.table())
    }
}

/// The words of the command line.
struct Options {
    var json = false
    var rounds = 4
    /// How long each workload runs in each round.
    var seconds = 0.8
    /// Part of a title: only such workloads run. For profiling.
    var only: String?

    init(_ words: ArraySlice<String>) throws {
        var rest = words
        while let word = rest.popFirst() {
            switch (word, rest.first) {
            case ("--json", _): json = true
            case ("--rounds", let value?) where Int(value).map { $0 > 0 } ?? false: rounds = Int(rest.removeFirst())!
            case ("--seconds", let value?) where Double(value).map { $0 > 0 } ?? false:
                seconds = Double(rest.removeFirst())!
            case ("--only", _?): only = rest.removeFirst()
            default: throw Failure("Usage: SyncBench [--json] [--rounds N] [--seconds S] [--only TITLE]")
            }
        }
    }
}

import BenchSupport
import Foundation

/// Measures a server, compared with plain SQL on the same PostgreSQL, in one run: pushes, updates, pulls and polls of
/// the oldest and the newest version.
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
            // Every other round runs backwards, so that the after-effects of a workload affect each of its neighbours.
            let order = round % 2 == 1 ? workloads : workloads.reversed()
            return try Dictionary(
                uniqueKeysWithValues: order.map { ($0.id, try $0.measured(for: options.seconds)) })
        }
        let report = Report(
            workloads: workloads, rounds: rounds, seconds: options.seconds, postgres: try stage.postgresVersion())
        print(options.json ? try report.json() : report.table())
    }
}

/// The options of the command line.
struct Options {
    var json = false
    var rounds = 4
    /// The time for each workload in each round, in seconds.
    var seconds = 0.8
    /// A part of a title; only workloads with it run. For profiling.
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

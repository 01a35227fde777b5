import Operations
import PGStore
import Postgres
import StrictJSON
import WireFormats

extension DatabaseCommand {
    static func move(_ options: Options) async throws -> Int32 {
        let goesOn = [options.has("resume"), options.has("undo")].count { $0 }
        let names = [options.positional.isEmpty, options["space"] == nil].count { !$0 }
        guard goesOn + names == 1, (goesOn == 0) == (options["to"] != nil) else {
            throw UsageError("Say what to move and where: ‘BUCKETS --to NAME’, or ‘--resume’ or ‘--undo’.")
        }
        guard !options.has("alone") || options["space"] != nil else {
            throw UsageError("‘--alone’ is about the space that ‘--space’ names.")
        }
        let spaces = try spaces(options)
        let limits = try limits(options)
        return try await withGroup(options) { group in
            if options.has("dry-run") { return try await preview(options, group, spaces) }
            let printer = MovePrinter(isJSON: options.has("json"))
            return try await stoppable {
                if options.has("resume") {
                    try await group.resumeMove(limits: limits, report: printer.report)
                } else if options.has("undo") {
                    try await group.undoMove(limits: limits, report: printer.report)
                } else {
                    try await group.move(spaces, to: options["to"] ?? "", limits: limits, report: printer.report)
                }
                printer.end()
                return 0
            }
        }
    }

    static func balance(_ options: Options, draining drained: String?) async throws -> Int32 {
        let limits = try limits(options)
        return try await withGroup(options) { group in
            if let move = try await group.unfinishedMove() { throw PlacementError.unfinished(move) }
            let members = try await group.list()
            if let drained, !members.contains(where: { $0.name == drained }) {
                throw PlacementError.unknownDatabase(drained, known: members.map(\.name))
            }
            for member in members where member.state == nil {
                throw CommandError("‘\(member.name)’ does not answer. Move buckets when all databases do.")
            }
            let balance = Balance(of: members, draining: drained)
            if let drained, balance.moves.isEmpty, members.contains(where: { $0.name == drained && !$0.mapped.isEmpty })
            {
                throw CommandError("There is no other database. Add one: ‘syncserver database add NAME’.")
            }
            let alone = members.first { $0.name == drained }?.alone ?? []
            if options.has("dry-run") {
                report(balance, isJSON: options.has("json"))
                for (space, home) in alone { Terminal.note("space \(space) goes back to \(home) first") }
                return 0
            }
            for (space, home) in alone {
                Terminal.note("space \(space) goes back to \(home)")
                try await group.move(.space(space), to: home, limits: limits)
            }
            if balance.moves.isEmpty, alone.isEmpty { Terminal.note("There is nothing to move.") }
            let printer = MovePrinter(isJSON: options.has("json"))
            return try await stoppable {
                for move in balance.moves {
                    try await group.move(.buckets(move.buckets), to: move.target, limits: limits) { event in
                        if event == .began(.copying) { printer.begin(move) }
                        try await printer.report(event)
                    }
                    printer.end()
                }
                return 0
            }
        }
    }

    private static let stopping =
        "Stopping; ‘syncserver database move --resume’ goes on. Once more stops at once, and may leave the spaces "
        + "served nowhere until then."

    /// Runs moves in a task that Ctrl-C and SIGTERM cancel.
    private static func stoppable(_ work: @escaping @Sendable () async throws -> Int32) async throws -> Int32 {
        do {
            return try await StopSignals().cancelling(saying: stopping, work)
        } catch is CancellationError {
            throw CommandError(
                "Stopped. ‘syncserver database move --resume’ goes on with a move that has begun, and ‘--undo’ gives "
                    + "it up.")
        }
    }

    private static func preview(
        _ options: Options, _ group: DatabaseGroup, _ spaces: SpaceSet
    ) async throws -> Int32 {
        if options.has("resume") || options.has("undo") {
            guard let move = try await group.unfinishedMove() else { throw PlacementError.noUnfinishedMove }
            if options.has("undo"), !move.mayBeUndone { throw PlacementError.tooLate(move) }
            if options.has("json") {
                Terminal.print(JSONWriter.text { $0.move(move) })
            } else {
                let way = "from \(move.source) to \(move.target)"
                Terminal.print("\(move.spaces.text) \(way), next step: \(move.step.rawValue)")
            }
            return 0
        }
        let target = options["to"] ?? ""
        let members = try await group.list()
        guard members.contains(where: { $0.name == target }) else {
            throw PlacementError.unknownDatabase(target, known: members.map(\.name))
        }
        guard case .buckets(let buckets) = spaces else {
            let source = try await group.map().name(of: try Environment.space(options))
            if options.has("json") {
                Terminal.print(
                    JSONWriter.text { writer in
                        writer.beginObject()
                        writer.member("space", options["space"])
                        writer.member("from", source)
                        writer.member("to", target)
                        writer.endObject()
                    })
            } else {
                Terminal.print("\(spaces.text) from \(source) to \(target)")
            }
            return 0
        }
        let moves = members.compactMap { member -> Balance.Move? in
            let own = buckets.filter(member.mapped.contains)
            if own.isEmpty || member.name == target { return nil }
            return Balance.Move(buckets: own, source: member.name, target: target)
        }
        report(moves, members, isJSON: options.has("json"))
        return 0
    }

    private static func report(_ balance: Balance, isJSON: Bool) { report(balance.moves, [], isJSON: isJSON) }

    private static func report(_ moves: [Balance.Move], _ members: [DatabaseGroup.Member], isJSON: Bool) {
        if isJSON {
            return Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("moves", each: moves) { writer, move in
                        writer.beginObject()
                        writer.member("buckets", each: move.buckets) { $0.int($1.number) }
                        writer.member("from", move.source)
                        writer.member("to", move.target)
                        writer.endObject()
                    }
                    writer.endObject()
                })
        }
        if moves.isEmpty { return Terminal.print("There is nothing to move.") }
        for move in moves {
            Terminal.print("buckets \(move.buckets.text) from \(move.source) to \(move.target)")
            for member in members where member.name == move.source {
                let weights = move.buckets.compactMap { member.state?.weights[$0] }
                let (spaces, bytes) = weights.reduce((Int64(0), Int64(0))) { ($0.0 + $1.spaces, $0.1 + $1.bytes) }
                Terminal.print("  \(spaces) spaces, \(bytes.sizeText) of values")
            }
        }
    }

    private static func limits(_ options: Options) throws -> MoveLimits {
        var limits = MoveLimits()
        if let pauseMax = try options.duration("pause-max") {
            guard pauseMax > .zero else {
                throw UsageError("‘--pause-max’ takes a duration of more than 0, such as 10s.")
            }
            limits.pauseMax = pauseMax
        }
        return limits
    }

    /// Parses the spaces that are to move. With `--resume` and `--undo` there are none.
    private static func spaces(_ options: Options) throws -> SpaceSet {
        guard options["space"] != nil else { return .buckets(try buckets(options)) }
        let space = try Environment.space(options)
        return options.has("alone") ? .space(space) : .buckets([Bucket(of: space)])
    }

    /// Parses the numbers of the buckets: `3`, `0-15,200`.
    private static func buckets(_ options: Options) throws -> [Bucket] {
        guard let text = options.positional.first else { return [] }
        var buckets: [Bucket] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
            guard let first = ends[0], let last = ends.count == 1 ? first : ends[1], ends.count <= 2, first <= last,
                Bucket(number: first) != nil, Bucket(number: last) != nil
            else {
                throw UsageError(
                    "‘\(text)’ is no list of buckets: their numbers go from 0 to \(Bucket.count - 1), as in ‘0-15,200’."
                )
            }
            buckets += (first...last).compactMap { Bucket(number: $0) }
        }
        return buckets
    }
}

/// Prints the progress of moves: the steps to standard output, and what changes within a step to a line on standard
/// error. As JSON, a line for each step.
private final class MovePrinter: Sendable {
    private let isJSON: Bool

    init(isJSON: Bool) { self.isJSON = isJSON }

    func begin(_ move: Balance.Move) {
        if !isJSON { Terminal.print("buckets \(move.buckets.text) from \(move.source) to \(move.target)") }
    }

    func end() {
        Terminal.endProgress()
        say("done", "done") { _ in }
    }

    func report(_ event: MoveEvent) async throws {
        switch event {
        case .began(let step): say(step.rawValue, step.text) { _ in }
        case .copied(let tables, let all): Terminal.progress(Int(tables), of: Int(all))
        case .behind(let lag): Terminal.progress("\(lag.wholeMilliseconds) ms behind")
        case .paused: say("paused", "  the spaces are served nowhere") { _ in }
        case .gaveUp(let what):
            say("served", "  \(what) took too long, so they are served where they were") {
                $0.member("waitedFor", what)
            }
        case .compared(let rows, let tables):
            say("compared", "  \(rows) rows of \(tables) tables are equal") { writer in
                writer.member("rows", rows)
                writer.member("tables", tables)
            }
        case .opened(let pause):
            say("opened", "  served where they moved to, after \(pause.wholeMilliseconds) ms without a database") {
                writer in
                writer.member("milliseconds", pause.wholeMilliseconds)
            }
        case .deleted(let rows): Terminal.progress("\(rows) rows deleted")
        }
    }

    private func say(_ event: String, _ line: String, _ members: (inout JSONWriter) -> Void) {
        Terminal.endProgress()
        guard isJSON else { return Terminal.print(line) }
        Terminal.print(
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("event", event)
                members(&writer)
                writer.endObject()
            })
    }
}

extension SpaceMove.Step {
    fileprivate var text: String {
        switch self {
        case .copying: "copying the rows, which may change meanwhile"
        case .switching: "switching"
        case .closing: "ending the replication"
        case .opening: "changing the map"
        case .cleaning: "deleting the rows where they were"
        case .done: "done"
        case .undone: "given up"
        }
    }
}

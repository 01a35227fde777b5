import PGStore
import Postgres
import SyncEngine
import SyncServer
import WireFormats

/// `syncserver quota`: shows the size of a space, and shows or changes its quota.
struct QuotaCommand {
    static let spec = CommandSpec(
        "quota", "Show what a space holds, and allow it more or less than others",
        subcommands: [
            CommandSpec("show", "Show what a space holds and may hold", options: shared, run: show),
            CommandSpec(
                "set", "Allow a space other quotas than those that its servers allow all",
                details: [
                    "What it may hold beside is set by ‘serve --limits’. Pushes follow it at once, on all servers."
                ],
                options: [
                    .value("records", "N", "how many living records; ‘default’ for what the servers allow all"),
                    .value("bytes", "N", "how many bytes of values; ‘default’ for what the servers allow all"),
                ] + shared,
                run: set),
        ])

    private static let shared: [OptionSpec] = [
        .app, .value("space", "UUID", "the space", isRequired: true), .database, .migrations, .json,
    ]

    private static func show(_ options: Options) async throws -> Int32 {
        try await run(options) { _ in nil }
    }

    private static func set(_ options: Options) async throws -> Int32 {
        let (records, bytes) = (try stated(options, "records"), try stated(options, "bytes"))
        if records == nil, bytes == nil { throw UsageError("State ‘--records’, ‘--bytes’ or both.") }
        let status = try await run(options) { holding in
            (records ?? holding.recordsMax, bytes ?? holding.bytesMax)
        }
        func text(_ name: String, _ stated: Int64??) -> String? {
            stated.map { "\(name) \($0.map(String.init) ?? "default")" }
        }
        let changed = [text("records", records), text("bytes", bytes)].compactMap(\.self).joined(separator: ", ")
        let space = try Environment.space(options)
        try await AuditCommand.note("quota set", app: options.appName(), "space \(space): \(changed)", options)
        return status
    }

    /// - Returns: `nil` if the option is not given; an inner `nil` for ‘default’.
    private static func stated(_ options: Options, _ name: String) throws -> Int64?? {
        guard let text = options[name] else { return nil }
        if text == "default" { return .some(nil) }
        guard let number = Int64(text), (0...1 << 50).contains(number) else {
            throw UsageError("‘--\(name)’ takes a whole number, or ‘default’.")
        }
        return .some(number)
    }

    /// - Parameter change: returns the new quota of the space; `nil` leaves the quota as it is.
    private static func run(
        _ options: Options, _ change: @escaping @Sendable (SpaceHolding) -> (records: Int64?, bytes: Int64?)?
    ) async throws -> Int32 {
        let plan = try Environment.plan(options)
        let space = try Environment.space(options)
        try await Environment.withEngines([plan], options) { engines, _ in
            let holding = try await engines[0].holding(of: space, allowing: change)
            guard let holding else {
                throw CommandError("There is no space \(space) of \(plan.app): nothing was pushed into it yet.")
            }
            if options.has("json") { return Terminal.print(JSONWriter.text { holding.write(to: &$0) }) }
            Terminal.print(row("records", holding.records, holding.recordsMax))
            Terminal.print(row("bytes", holding.bytes, holding.bytesMax))
            if !holding.isExact {
                Terminal.note("It changed since it was counted. ‘\(Terminal.naming("syncserver gc"))’ counts again.")
            }
        }
        return 0
    }

    private static func row(_ name: String, _ held: Int64?, _ most: Int64?) -> String {
        let most = most.map { "of \($0) that it may" } ?? "of what its servers allow all"
        return "\(name.padded(to: 8)) \(held.map { "\($0)" } ?? "not counted"), \(most)"
    }
}

extension SpaceHolding {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in [
            ("records", records), ("bytes", bytes), ("recordsMax", recordsMax), ("bytesMax", bytesMax),
        ] {
            writer.key(name)
            if let value { writer.int(value) } else { writer.null() }
        }
        writer.member("isExact", isExact)
        writer.endObject()
    }
}

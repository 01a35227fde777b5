import Operations
import PGStore
import StrictJSON
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
        try await run(options) { try await $0.show() }
    }

    private static func set(_ options: Options) async throws -> Int32 {
        let (records, bytes) = (try limit(options, "records"), try limit(options, "bytes"))
        if records == nil, bytes == nil { throw UsageError("State ‘--records’, ‘--bytes’ or both.") }
        var entry = AuditEntry.written
        let status = try await run(options) { quota in
            let result = try await quota.set(records: records, bytes: bytes)
            entry = result.entry
            return result.holding
        }
        AuditCommand.report(entry)
        return status
    }

    /// Parses the limit given by an option; `nil` if the option is not given.
    private static func limit(_ options: Options, _ name: String) throws -> SpaceQuota.Limit? {
        guard let text = options[name] else { return nil }
        if text == "default" { return .standard }
        guard let number = Int64(text), (0...1 << 50).contains(number) else {
            throw UsageError("‘--\(name)’ takes a whole number, or ‘default’.")
        }
        return .most(number)
    }

    /// Runs an operation on the quota of the space, and prints the size and quota that it returns.
    private static func run(
        _ options: Options, _ operation: (SpaceQuota) async throws -> SpaceHolding
    ) async throws -> Int32 {
        let plan = try Environment.plan(options)
        let space = try Environment.space(options)
        let holding = try await Environment.withEngines([plan], options) { open in
            try await operation(SpaceQuota(of: space, open.engines[0], owner: open.owner))
        }
        if options.has("json") {
            Terminal.print(JSONWriter.text { holding.write(to: &$0) })
            return 0
        }
        Terminal.print(row("records", holding.records, holding.recordsMax))
        Terminal.print(row("bytes", holding.bytes, holding.bytesMax))
        if !holding.isExact {
            Terminal.note("It changed since it was counted. ‘\(Terminal.naming("syncserver gc"))’ counts again.")
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

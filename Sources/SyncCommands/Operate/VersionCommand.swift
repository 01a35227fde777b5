import Operations
import PGStore
import StrictJSON
import SyncEngine
import WireFormats

/// `syncserver version`: deprecates, retires and restores versions of an app.
struct VersionCommand {
    static let spec = CommandSpec(
        "version", "Say which versions of an app are deprecated or retired, and see who would be stranded",
        details: [
            "A version ends in two steps. From the first date on it can neither pull nor push, and its users are asked "
                + "to update. Until the second date an updated app can still push what was written before. Servers "
                + "know of it within 3 s."
        ],
        subcommands: [
            CommandSpec(
                "status", "Show each version's state and dates, and who uses it", options: shared
            ) { try await run($0) { try await $0.status() } },
            CommandSpec(
                "deprecate", "Tell devices of a version that it will end; it works as before",
                arguments: [version],
                options: [
                    .value(
                        "sunset", "WHEN", "when it is to end: in a while such as 90d, or at a date such as 2027-01-31"),
                    link,
                ] + shared
            ) { try await run($0) { try await $0.deprecate() } },
            CommandSpec(
                "retire", "End a version",
                details: ["It is refused while the census knows devices that still use it."],
                arguments: [version],
                options: [
                    .value("at", "WHEN", "when it can no longer pull and push", standard: "now"),
                    .value(
                        "outbox-until", "WHEN",
                        "until when updated apps can push what was written in it", standard: "180d after that"),
                    link, .flag("force", "although devices still use it; this is written down"),
                ] + shared
            ) { try await run($0) { try await $0.retire() } },
            CommandSpec(
                "restore", "Let a version be used as if nothing had been said of it", arguments: [version],
                options: shared
            ) { try await run($0) { try await $0.restore() } },
            CommandSpec(
                "log", "Show what was done to versions, by whom, the latest first", options: shared
            ) { try await run($0) { try await $0.log() } },
        ])

    private static let version = ArgumentSpec("VERSION", "such as 0.0.4; a variant as ‘0.1.0;fp=…’")
    private static let link = OptionSpec.value("link", "URL", "a page for people, which answers and problems name")
    private static let shared: [OptionSpec] = [.app, .database, .json]

    let options: Options
    let plan: Plan
    let versions: VersionLifecycle

    private static func run(
        _ options: Options, _ action: (VersionCommand) async throws -> Void
    ) async throws -> Int32 {
        let plan = try Environment.plan(options)
        try await Environment.withSession(options) { session in
            let versions = try await VersionLifecycle(plan, session)
            do {
                try await action(VersionCommand(options: options, plan: plan, versions: versions))
            } catch let error as VersionError {
                throw explained(error)
            }
        }
        return 0
    }

    // MARK: Changing

    private func deprecate() async throws {
        let sunset = try StatedTime(options, "sunset")
        say(try await versions.deprecate(options.positional[0], sunset: sunset?.moment, link: options["link"]))
    }

    private func retire() async throws {
        let (end, outboxEnd) = (try StatedTime(options, "at"), try StatedTime(options, "outbox-until"))
        say(
            try await versions.retire(
                options.positional[0], at: end?.moment, outboxUntil: outboxEnd?.moment, link: options["link"],
                isForced: options.has("force")))
    }

    private func restore() async throws {
        say(try await versions.restore(options.positional[0]))
    }

    private func say(_ change: VersionChange) {
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.lifecycle(change.lifecycle, at: versions.now)
                    writer.endObject()
                })
        } else {
            Terminal.print("\(change.lifecycle.version): \(change.detail)")
        }
    }

    /// Converts an error of an operation on a version to one whose text names the options or commands that resolve it.
    private static func explained(_ error: VersionError) -> any Error {
        switch error {
        case .unknown(let version, let app, let known):
            UsageError("There is no version ‘\(version)’ of \(app); there is \(known.joined(separator: ", ")).")
        case .newest(let version):
            UsageError("\(version) is the newest version: devices would have nothing to update to.")
        case .past(.sunset, let moment): moment.usageError(of: "sunset")
        case .past(.end, let moment): moment.usageError(of: "at")
        case .past(.outboxEnd, let moment): moment.usageError(of: "outbox-until")
        case .outboxEndTooLate:
            UsageError("Outboxes would be taken beyond the year 9999: say until when they are with ‘--outbox-until’.")
        case .outboxEndsFirst(let outboxEnd, let end):
            UsageError("‘--outbox-until’ is before the version ends: \(outboxEnd.day), and \(end.day).")
        case .inUse(let stranded):
            CommandError(
                "\(stranded) They could neither pull nor push. Nothing was changed. Deprecate it first "
                    + "(‘\(Terminal.naming("syncserver version deprecate"))’), or say ‘--force’.")
        case .malformedLink: UsageError("‘--link’ takes an address such as https://example.org/update.")
        }
    }
}

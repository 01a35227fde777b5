import Operations
import PGStore
import StrictJSON
import SyncEngine
import SyncServer
import WireFormats

/// `syncserver erase`: erases a space, or everything that is stored about a subject.
struct EraseCommand {
    static let spec = CommandSpec(
        "erase", "Erase a space, or all that is kept of a subject, and say what went",
        details: [
            "Of a space every row of every table goes, and devices are told that it was erased. Of a subject the "
                + "spaces go that it is alone in, its place in others, the invitations that it made, and its tokens; "
                + "it is refused while others are in a space that only it owns. Servers may go on serving. What was "
                + "interrupted is gone on with by the same command, or by ‘gc’. Backups keep what they have."
        ],
        options: [
            .app,
            .value("space", "UUID", "the space"),
            .value("subject", "NAME", "or the subject"),
            .flag("yes", "do not ask first"),
            .database, .migrations, .json,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let plan = try Environment.plan(options)
        guard (options["space"] == nil) != (options["subject"] == nil) else {
            throw UsageError("Say what to erase: ‘--space’ or ‘--subject’.")
        }
        let space = options["space"] == nil ? nil : try Environment.space(options)
        if !options.has("yes") {
            try Confirmation.ask(
                for: "erase", "What is erased is gone, but for backups.", otherwise: "Nothing was erased.")
        }
        let object: Erasure.Object = if let space { .space(space) } else { .subject(try options.subject()) }
        let (receipt, entry) = try await Environment.withEngines([plan], options) { open in
            do {
                return try await Erasure(open.engines[0], owner: open.owner)
                    .erase(object) { Terminal.progress("\($0) rows") }
            } catch SharingError.sharedSpaces(let spaces) {
                let program = Terminal.naming("syncserver member set")
                throw CommandError(
                    "The subject was not erased, because others are in spaces that only it owns: "
                        + "\(spaces.map(\.description).joined(separator: ", ")). Give each another owner with "
                        + "‘\(program)’, or erase it.")
            }
        }
        Terminal.endProgress()
        AuditCommand.report(entry)
        report(receipt, isJSON: options.has("json"))
        return 0
    }

    private static func report(_ receipt: Erasing.Receipt, isJSON: Bool) {
        if isJSON {
            return Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.receipt(receipt)
                    writer.endObject()
                })
        }
        let width = receipt.rows.map(\.table.count).max() ?? 0
        for (table, count) in receipt.rows {
            Terminal.print(table.padded(to: width) + "  " + "\(count)")
        }
        if receipt.count == 0, receipt.spaces.isEmpty {
            return Terminal.print(
                "0 rows erased: nothing is kept of this subject in the app. Names are compared byte by byte; "
                    + "‘\(Terminal.naming("syncserver token list"))’ shows those that tokens have.")
        }
        let spaces = receipt.spaces.map(\.description).joined(separator: ", ")
        Terminal.print("\(receipt.count) rows erased\(receipt.spaces.isEmpty ? "" : ", with the spaces \(spaces)").")
    }
}

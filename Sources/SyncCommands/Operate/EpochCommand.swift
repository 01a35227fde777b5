import PGStore
import Postgres
import WireFormats

/// `syncserver epoch`: prints the epoch of the database, which every cursor carries, or begins a new one after a
/// restoration that the server cannot recognise.
struct EpochCommand {
    static let spec = CommandSpec(
        "epoch", "Print the epoch of the database, which every cursor carries, or begin a new one",
        options: [
            .flag(
                "renew",
                "begin a new epoch, so that every device pulls a snapshot and offers what it has: after a machine was "
                    + "put back with its memory, or a single table was. A restored dump, files that were put back, a "
                    + "recovery to a point in time and a promoted standby are recognised without this"),
            .flag("yes", "do not ask first"), .database, .json,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let isRenewed = options.has("renew")
        if isRenewed, !options.has("yes") {
            try Confirmation.ask(
                for: "renew",
                "Every device of every space pulls everything again, and offers what it has. Backups that "
                    + "were restored are recognised without this.", otherwise: "The epoch is as it was.")
        }
        let epoch = try await Environment.withSession(options) { session in
            let command: Command =
                isRenewed
                ? "UPDATE sync.server SET epoch = gen_random_uuid() RETURNING epoch" : "SELECT epoch FROM sync.server"
            return try await session.transaction { session in
                let epoch = try session.execute(command).id(0, 0)
                if isRenewed {
                    try session.execute(OperatorEvents.noting("epoch renew", app: nil, detail: "\(epoch)"))
                }
                return epoch
            }
        }
        if options.has("json") {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("epoch", epoch)
            writer.member("renewed", isRenewed)
            writer.endObject()
            Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
        } else {
            Terminal.print("\(epoch)\(isRenewed ? ": new; devices notice with their next request" : "")")
        }
        return 0
    }
}

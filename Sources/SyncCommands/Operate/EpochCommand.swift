import Operations
import PGStore
import Postgres
import StrictJSON
import WireFormats

/// `syncserver epoch`: prints the epoch of the database, an id that every cursor contains, or begins a new epoch. After
/// most restorations from a backup, the server begins a new epoch by itself. An operator must begin it if the server
/// cannot recognise the restoration.
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
        let epoch = try await DatabaseCommand.withGroup(options) { group in
            let new = ID.random()
            for (_, string) in isRenewed ? try await group.addresses() : [] {
                try await OwnerDatabase(string).withSession { session in try await DatabaseEpoch(session).renew(as: new)
                }
            }
            return try await OwnerDatabase(group.directory)
                .withSession { session in try await DatabaseEpoch(session).current() }
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

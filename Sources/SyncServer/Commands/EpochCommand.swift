import PGStore
import WireFormats

/// `syncserver epoch`: which state of the database devices' cursors are for, and a new one after a restoration that the
/// server cannot recognise.
struct EpochCommand {
    static let usage = """
        syncserver epoch              the epoch of the database, which every cursor carries

          --renew             begin a new one, so that every device pulls afresh and offers what it has: after a
                              machine was put back with its memory, or a single table was. A restored dump, files
                              that were put back, a recovery to a point in time and a promoted standby are
                              recognised without this
          --database URL      the database (DATABASE_URL); without it, the private cluster in .syncserver/postgres
          --json              for machines
        """

    static func run(_ words: [String]) async throws -> Int32 {
        let options = try Options(words, taking: ["database"], flags: ["renew", "json"])
        guard options.positional.isEmpty else { throw UsageError(usage) }
        let isRenewed = options.has("renew")
        let epoch = try await Environment.withSession(options) { session in
            let command: Command =
                isRenewed
                ? "UPDATE sync.server SET epoch = gen_random_uuid() RETURNING epoch" : "SELECT epoch FROM sync.server"
            return try await session.execute(command).id(0, 0)
        }
        if options.has("json") {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("epoch")
            writer.id(epoch)
            writer.key("renewed")
            writer.bool(isRenewed)
            writer.endObject()
            Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
        } else {
            Terminal.print("\(epoch)\(isRenewed ? ": new; devices notice with their next request" : "")")
        }
        return 0
    }
}

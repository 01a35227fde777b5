import Operations
import PGMigrations
import PGStore
import Postgres
import StrictJSON
import WireFormats

/// `syncserver database`: adds databases to an installation, and moves spaces between them.
struct DatabaseCommand {
    static let spec = CommandSpec(
        "database", "Serve spaces from several databases, and move them from one to another",
        details: [
            "The database that servers are started with is the directory: it has the tokens, the members, and the map "
                + "that says which database serves which spaces. Spaces move in buckets, of which there are 256. "
                + "Servers go on serving; the spaces of a bucket answer 503 for some tenths of a second.",
            "A move is made by PostgreSQL's logical replication: the database from which spaces move needs ‘wal_level "
                + "= logical’, and the login must be a superuser, or have the rights that an error names.",
        ],
        subcommands: [
            CommandSpec("list", "Show the databases, and what each serves", options: shared, run: list),
            CommandSpec(
                "add", "Add an empty database that has the same migrations; it serves nothing yet",
                details: ["What is not stated of its address is as for the directory."],
                arguments: [name],
                options: [
                    .value("host", "HOST", "its host, or the directory of its socket"),
                    .value("port", "PORT", "its port"), .value("dbname", "NAME", "its name there"),
                    .flag("create", "make the database there first, unless there is one, and apply the migrations"),
                    .migrations,
                ] + shared,
                run: add),
            CommandSpec(
                "remove", "Take a database that serves nothing out of the map", arguments: [name], options: shared
            ) {
                try await change($0, "removed") { group, name in try await group.remove(name) }
            },
            CommandSpec(
                "confirm", "Let a database serve again that was restored from a backup",
                details: [
                    "A restored database serves nothing before, because spaces may have moved since. It then serves "
                        + "what the map says, if all others answer and none of them does."
                ], arguments: [name], options: shared, run: confirm),
            CommandSpec(
                "move", "Move buckets of spaces, or one space, to another database",
                details: [
                    "The rows are copied while they change. Then the spaces are served nowhere until the last changes "
                        + "have arrived and the rows of both databases are found equal; only then the other serves "
                        + "them, and they are deleted here. A move that was interrupted is gone on with by ‘--resume’."
                ],
                arguments: [
                    ArgumentSpec("BUCKETS", "their numbers, such as 3 or 0-15,200", count: .optional)
                ],
                options: [
                    .value("to", "NAME", "the database to which they move"),
                    .value("space", "UUID", "instead of numbers: the bucket of this space"),
                    .flag("alone", "only the space, and not its bucket: for one that is very large"),
                    .flag("resume", "go on with the move that was interrupted"),
                    .flag("undo", "give the move up that was interrupted: everything stays where it was"),
                ] + moving,
                run: DatabaseCommand.move),
            CommandSpec(
                "rebalance", "Move buckets until all databases serve about as much", options: moving
            ) { try await balance($0, draining: nil) },
            CommandSpec(
                "drain", "Move all buckets of a database to the others", arguments: [name], options: moving
            ) { try await balance($0, draining: $0.positional[0]) },
        ])

    private static let name = ArgumentSpec("NAME", "its name in the map")
    private static let shared: [OptionSpec] = [.database, .json]
    private static let moving: [OptionSpec] =
        [
            .flag("dry-run", "only say what would be moved"),
            .value(
                "pause-max", "DURATION",
                "the longest that the spaces may be without a database; then it is tried again",
                standard: "10s"),
        ] + shared

    // MARK: Databases

    static func withGroup<Value>(
        _ options: Options, _ body: (DatabaseGroup) async throws -> Value
    ) async throws -> Value {
        let database = try await Environment.database(options)
        // Replication takes a superuser.
        let own = database.cluster?.superuserConnectionString.with(database: EmbeddedCluster.databaseName)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(DatabaseGroup(directory: own ?? database.string)))
        } catch {
            result = .failure(error)
        }
        try await database.leave()
        return try result.get()
    }

    private static func add(_ options: Options) async throws -> Int32 {
        let port = try options.integer("port", atLeast: 1)
        if let port, port > Int(UInt16.max) { throw UsageError("‘--port’ takes a number up to 65535.") }
        guard options["host"] != nil || port != nil || options["dbname"] != nil else {
            throw UsageError("State what differs from the directory's address: ‘--host’, ‘--port’ or ‘--dbname’.")
        }
        let entry = BucketMap.Entry(
            name: options.positional[0], host: options["host"], port: port, database: options["dbname"])
        return try await change(options, "added; ‘syncserver database rebalance’ moves spaces there") { group, _ in
            if options.has("create") { try await create(entry, group, options) }
            try await group.add(entry)
        }
    }

    /// Makes a database that belongs to the owner of the directory's tables, and applies the migrations to it.
    private static func create(_ entry: BucketMap.Entry, _ group: DatabaseGroup, _ options: Options) async throws {
        guard let name = entry.database else {
            throw UsageError("‘--create’ needs the name of the database: ‘--dbname NAME’.")
        }
        try await group.checkName(entry.name)
        let owner = try await OwnerDatabase(group.directory).withSession { session in
            try await session.execute(
                "SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE nspname = 'sync'"
            ).string(0, 0)
        }
        let string = group.directory.with(host: entry.host, port: entry.port, database: name)
        try await OwnerDatabase(string.with(database: "postgres")).withSession { session in
            let exists = Command("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", [.text(name)])
            if try await session.execute(exists).bool(0, 0) { return }
            try await session.runScript("CREATE DATABASE \(quoted(name)) OWNER \(quoted(owner))")
        }
        let plans = try Environment.plans()
        let lines = try Environment.migrations(options, for: plans)
        let progress = MigrationProgress(isSilent: options.has("json"))
        let migrator = Migrator(string, role: owner, lines: lines, tables: RecordTables(plans))
        try await migrator.up(contracts: .run, report: progress.take)
    }

    private static func confirm(_ options: Options) async throws -> Int32 {
        try await change(options, "serves what the map says") { group, name in _ = try await group.confirm(name) }
    }

    private static func change(
        _ options: Options, _ outcome: String, _ body: (DatabaseGroup, String) async throws -> Void
    ) async throws -> Int32 {
        let name = options.positional[0]
        try await withGroup(options) { try await body($0, name) }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("database", name)
                    writer.endObject()
                })
        } else {
            Terminal.print("\(name): \(outcome)")
        }
        return 0
    }

    private static func list(_ options: Options) async throws -> Int32 {
        let (members, move) = try await withGroup(options) { (try await $0.list(), try await $0.unfinishedMove()) }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("databases", each: members) { $0.member($1) }
                    writer.key("move")
                    if let move { writer.move(move) } else { writer.null() }
                    writer.endObject()
                })
            return 0
        }
        let width = members.map(\.name.count).max() ?? 0
        for member in members { Terminal.print(member.line(width)) }
        if let move { Terminal.note(PlacementError.unfinished(move).description) }
        return 0
    }
}

extension DatabaseGroup.Member {
    /// The problem that an operator should look at; `nil` for none.
    fileprivate var problem: String? {
        guard let state else { return "does not answer" }
        if let entry, state.name != entry.name { return "has the name \(state.name ?? "of none")" }
        if state.served == mapped { return nil }
        return state.served.isEmpty
            ? "serves nothing: restored? See ‘syncserver database confirm’" : "differs from the map"
    }

    fileprivate var address: String {
        guard let entry else { return "as the server is started" }
        return [
            entry.host.map { "host=\($0)" }, entry.port.map { "port=\($0)" }, entry.database.map { "dbname=\($0)" },
        ]
        .compactMap(\.self).joined(separator: " ")
    }

    fileprivate func line(_ width: Int) -> String {
        let spaces = state.map { "\($0.weights.values.reduce(0) { $0 + $1.spaces }) spaces" } ?? "?"
        let size = state.map { $0.bytes.sizeText } ?? "?"
        return "\(name.padded(to: width))  \("\(mapped.count) buckets".padded(to: 11))  \(spaces.padded(to: 14))  "
            + "\(size.padded(to: 9))  \(address)" + (problem.map { "  \($0)" } ?? "")
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ member: DatabaseGroup.Member) {
        beginObject()
        self.member("name", member.name)
        self.member("host", member.entry?.host)
        key("port")
        if let port = member.entry?.port { int(Int64(port)) } else { null() }
        self.member("dbname", member.entry?.database)
        self.member("buckets", each: member.mapped.map(\.number).sorted()) { $0.int($1) }
        key("spaces")
        if let state = member.state { int(state.weights.values.reduce(0) { $0 + $1.spaces }) } else { null() }
        key("bytes")
        if let state = member.state { int(state.bytes) } else { null() }
        self.member("problem", member.problem)
        endObject()
    }

    mutating func move(_ move: SpaceMove) {
        beginObject()
        switch move.spaces {
        case .buckets(let buckets): member("buckets", each: buckets) { $0.int($1.number) }
        case .space(let space): member("space", space)
        }
        member("from", move.source)
        member("to", move.target)
        member("step", move.step.rawValue)
        endObject()
    }
}

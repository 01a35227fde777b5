import PGStore
import WireFormats

/// `syncserver migrate up|status`
struct MigrateCommand {
    static let usage = """
        syncserver migrate up [--to LINE/N]    apply the pending migration files, each exactly once
        syncserver migrate status              how every file stands; exits with 1 if any is not applied

          --database URL      the database (DATABASE_URL); without it, the private cluster in .syncserver/postgres
          --migrations PATH   the folder of migration files
          --json              for machines
        """

    static func run(_ words: [String]) async throws -> Int32 {
        let options = try Options(words, taking: ["database", "migrations", "to"], flags: ["json"])
        guard let action = options.positional.first, options.positional.count == 1, ["up", "status"].contains(action)
        else { throw UsageError(usage) }
        let lines = try Environment.migrations(options, for: Environment.plans())
        let database = try await Environment.database(options)
        let migrator = Migrator(database.string, lines: lines)
        let result: Result<Int32, any Error>
        do {
            result = .success(
                try await action == "up" ? up(migrator, options) : status(migrator, asJSON: options.has("json")))
        } catch {
            result = .failure(error)
        }
        try await database.leave()
        return try result.get()
    }

    private static func up(_ migrator: Migrator, _ options: Options) async throws -> Int32 {
        var target: MigrationID?
        if let text = options["to"] {
            let parts = text.split(separator: "/")
            guard parts.count == 2, let number = Int(parts[1]) else {
                throw UsageError("‘--to’ takes a line and a number, such as fitiq/7.")
            }
            target = MigrationID(line: String(parts[0]), number: number)
        }
        let asJSON = options.has("json")
        let applied = try await migrator.up(to: target) { event in
            if !asJSON { Terminal.note(description(of: event)) }
        }
        if asJSON {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("applied")
            writer.beginArray()
            for path in applied { writer.string(path) }
            writer.endArray()
            writer.endObject()
            Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
        } else {
            Terminal.print(applied.isEmpty ? "Nothing was pending." : "Applied \(applied.count) migrations.")
        }
        return 0
    }

    static func description(of event: MigrationEvent) -> String {
        switch event {
        case .waiting(let holders): "Waiting for another run of migrations (server process \(holders))."
        case .planned(let paths): "\(paths.count) pending."
        case .began(let path, 1): "Applying \(path) …"
        case .began(let path, let attempt): "Applying \(path), attempt \(attempt) …"
        case .blocked(let path, let by): "\(path) waits for \(by.map(\.description).joined(separator: "; "))"
        case .retrying(let path, _, let pause): "\(path) could not get its locks; trying again in \(pause)."
        case .applied(let path, let duration): "Applied \(path) in \(duration.formattedMilliseconds)."
        }
    }

    private static func status(_ migrator: Migrator, asJSON: Bool) async throws -> Int32 {
        let statuses = try await migrator.status()
        if asJSON {
            var writer = JSONWriter()
            writer.beginArray()
            for status in statuses {
                writer.beginObject()
                writer.key("migration")
                writer.string(status.path)
                writer.key("state")
                writer.string("\(status.state.name)")
                writer.endObject()
            }
            writer.endArray()
            Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
        } else {
            for status in statuses {
                Terminal.print("\(status.state.name.padded(to: 14))\(status.path)")
            }
        }
        return statuses.allSatisfy(\.state.isApplied) ? 0 : 1
    }
}

extension MigrationStatus.State {
    var isApplied: Bool {
        if case .applied = self { true } else { false }
    }

    /// For people and machines.
    fileprivate var name: String {
        switch self {
        case .applied: "applied"
        case .pending: "pending"
        case .changed: "changed"
        case .missing: "missing"
        case .outOfOrder: "out-of-order"
        }
    }
}

extension String {
    func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}

extension Duration {
    /// `12 ms`
    var formattedMilliseconds: String {
        "\(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000) ms"
    }
}

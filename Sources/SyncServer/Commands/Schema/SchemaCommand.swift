import PGMigrations
import WireFormats

/// `syncserver schema`: the versions of the apps, what lies between them, and whether they are in order.
enum SchemaCommand {
    static let usage = """
        syncserver schema list                every app's versions, oldest first
        syncserver schema show VERSION        one version's entities
        syncserver schema diff A B            what differs between two versions
        syncserver schema plan A B            every stage from A to B: operations, fidelity, what older
                                              versions will see, what the tables need
        syncserver schema explain ENTITY[.ATTRIBUTE]
                                              its life through all versions
        syncserver schema new                 the next version's file, and its place in the plan
        syncserver schema sql [A] B           a draft of the migration from A's tables to B's, for review;
                                              without A, of all that B needs
        syncserver schema json-schema VERSION the JSON Schema of a push in one version
        syncserver schema check               compiles the plans, tries to break the lens laws, and compares
                                              what is published with what it was; exits with 1 when
                                              anything is wrong
        syncserver schema freeze              publishes what is not published yet: from then on no version
                                              and no migration file may change

        A version is its number, such as 0.1.0. Another shape that was shipped under the number is
        '0.1.0;fp=FINGERPRINT', as ‘list’ shows it; the shell wants the quotes.

          --app APP           which app; ‘list’, ‘check’ and ‘freeze’ take all of them without it
          --database [URL]    ‘check’ also compares the tables of that database (DATABASE_URL) with what
                              the plans need
          --cases N           how many cases ‘check’ and ‘freeze’ try per entity of each version (10000)
          --seed N            the generated cases; printed, so that a failure can be had again
          --version V         ‘new’: its number; without it, one more in the last part that is not zero
          --directory PATH    ‘new’: the app's folder (Sources/Apps/<App>)
          --entity E          ‘json-schema’: this entity only
          --migrations PATH   the folder of migration files; it has the lock of what is published
          --fixtures PATH     the folder of fixtures (Tests/CompatTests/fixtures beside it)
          --json              for machines; ‘json-schema’ is it anyway
        """

    static func run(_ words: [String]) async throws -> Int32 {
        guard let action = words.first else { throw UsageError(usage) }
        let rest = Array(words.dropFirst())
        switch action {
        case "list": return try list(Options(rest, taking: ["app"], flags: ["json"]))
        case "show": return try show(Options(rest, taking: ["app"], flags: ["json"]))
        case "diff": return try diff(Options(rest, taking: ["app"], flags: ["json"]))
        case "plan": return try self.plan(Options(rest, taking: ["app"], flags: ["json"]))
        case "new": return try new(Options(rest, taking: ["app", "version", "directory"], flags: ["json"]))
        case "sql": return try sql(Options(rest, taking: ["app", "migrations"], flags: ["json"]))
        case "json-schema": return try jsonSchema(Options(rest, taking: ["app", "entity"], flags: ["json"]))
        case "check":
            return try await check(
                Options(rest, taking: frozenOptions.union(["database"]), flags: ["json", "database"]))
        case "freeze": return try await freeze(Options(rest, taking: frozenOptions, flags: ["json"]))
        case "explain": return try explain(Options(rest, taking: ["app"], flags: ["json"]))
        default: throw UsageError(usage)
        }
    }

    private static let frozenOptions: Set = ["app", "cases", "seed", "migrations", "fixtures"]

    /// The declarations that `--app` names: one, or all where it names none.
    static func declarations(_ options: Options) throws(UsageError) -> [any SchemaMigrationPlan.Type] {
        guard let app = options["app"] else { return Environment.apps }
        return [try Environment.declaration(app)]
    }

    /// The plan of the app that must be named.
    static func appsPlan(_ options: Options) throws -> Plan {
        _ = try options.required("app")
        return try Plan(declarations(options)[0])
    }

    /// The place in the plan of the version that `text` is.
    static func version(_ text: String, of plan: Plan) throws(UsageError) -> Int {
        guard let place = ShapeName(text).flatMap({ plan.index(of: $0) }) else {
            let known = plan.shapes.indices.map { "\(plan.name(of: $0))" }.joined(separator: ", ")
            throw UsageError("‘\(plan.app)’ has no version ‘\(text)’; it has \(known).".wrapped())
        }
        return place
    }

    /// Two versions, as the two words of the command.
    static func versions(_ options: Options, of plan: Plan) throws(UsageError) -> (Int, Int) {
        guard options.positional.count == 2 else { throw UsageError(usage) }
        return (try version(options.positional[0], of: plan), try version(options.positional[1], of: plan))
    }
}

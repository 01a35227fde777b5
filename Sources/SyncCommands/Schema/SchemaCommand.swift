import PGMigrations
import WireFormats

/// `syncserver schema`: shows, compares and checks the versions of the apps, and the stages between them.
enum SchemaCommand {
    static let spec = CommandSpec(
        "schema", "Show, compare, check, draft and publish the versions of the apps",
        details: [
            "A version is its number, such as 0.1.0. Another shape that was shipped under the number is "
                + "'0.1.0;fp=FINGERPRINT', as ‘schema list’ shows it; the shell wants the quotes."
        ],
        subcommands: [
            CommandSpec(
                "list", "List every app's versions, oldest first", options: [oneApp, .json], run: { try list($0) }),
            CommandSpec(
                "show", "Show one version's entities", arguments: [version("VERSION")], options: [.app, .json],
                run: { try show($0) }),
            CommandSpec(
                "diff", "Show what differs between two versions", arguments: [version("A"), version("B")],
                options: [.app, .json], run: { try diff($0) }),
            CommandSpec(
                "plan", "Show every stage from one version to another",
                details: ["Operations, fidelity, what older versions will see, what the tables need."],
                arguments: [version("A"), version("B")], options: [.app, .json], run: { try plan($0) }),
            CommandSpec(
                "explain", "Show the life of an entity or an attribute through all versions",
                arguments: [ArgumentSpec("ENTITY[.ATTRIBUTE]", "by its name in any version")], options: [.app, .json],
                run: { try explain($0) }),
            CommandSpec(
                "new", "Write the next version's file, and add it to the plan",
                options: [
                    .app,
                    .value(
                        "version", "VERSION", "its number", standard: "one more in the last part that is not zero"),
                    .value(
                        "directory", "PATH", "the app's folder", kind: .folder,
                        standard: "where the plan is, below Sources"),
                    .json,
                ],
                run: { try new($0) }),
            CommandSpec(
                "import", "Read an app's SwiftData or Core Data models, and write their versions and a plan",
                details: [
                    "What follows from the sources is written; what does not is asked, in a list and as ‘Undecided’ in "
                        + "the files. Where the program has the app's plan, what is new is added to it, and what is "
                        + "there stays as it is. See docs/import-schemas.md.",
                    "Exits with 1 when a version that the plan has is not what the sources say of it.",
                ],
                arguments: [sources], options: importOptions, run: { try importSchemas($0) }),
            CommandSpec(
                "sql", "Draft the migration from one version's tables to another's, for review",
                arguments: [
                    ArgumentSpec("A", "the older version; without it, all that B needs is drafted", count: .optional),
                    version("B"),
                ],
                options: [
                    .app, .flag("write", "write a file for each version into the app's folder of migrations"),
                    .migrations, .json,
                ],
                run: { try sql($0) }),
            CommandSpec(
                "json-schema", "Print the JSON Schema of a push in one version", arguments: [version("VERSION")],
                options: [
                    .app, .value("entity", "ENTITY", "only this entity"),
                    .flag("json", "no difference: it is JSON anyway"),
                ],
                run: { try jsonSchema($0) }),
            CommandSpec(
                "swift", "Print one version's models as Swift, for the app that is built with it",
                details: [
                    "A struct for each entity, and what a store of the version is opened with: see docs/client.md. The "
                        + "same version always gives the same text."
                ],
                arguments: [version("VERSION")],
                options: [
                    .app,
                    .value("name", "NAME", "of the type that holds them", standard: "the app's name and ‘Schema’"),
                    .value("check", "FILE", "instead, exit with 1 where this file is another", kind: .file),
                    .flag("json", "no difference: it is Swift anyway"),
                ],
                run: { try swift($0) }),
            CommandSpec(
                "check", "Check the plans, the lens laws and what is published",
                details: [
                    "Compiles the plans, tries to break the lens laws with generated cases, and compares what is "
                        + "published with what it was. Exits with 1 when anything is wrong."
                ],
                options: [
                    oneApp,
                    .value(
                        "database", "URL",
                        "also compare the tables of this database, or of DATABASE_URL's, with what the plans need",
                        isOptional: true),
                    .value(
                        "sources", "PATH",
                        "instead, compare the newest version with the models in these Swift files, for the app's CI",
                        kind: .file, isRepeated: true),
                    sourcesProgram,
                ] + laws + [.json],
                run: check),
            CommandSpec(
                "freeze", "Publish what is not published yet",
                details: ["From then on no published version and no published migration file may change."],
                options: [oneApp] + laws + [.json], run: freeze),
        ])

    private static let oneApp = OptionSpec.app("only this app")
    private static let laws: [OptionSpec] = [
        .value("cases", "N", "how many cases to try for each entity of each version", standard: "\(casesStandard)"),
        .value("seed", "N", "generates the same cases once more", standard: "random, and printed"),
        .migrations,
        .value(
            "fixtures", "PATH", "the folder of fixtures", kind: .folder,
            standard: "Tests/CompatTests/fixtures beside the migrations"),
    ]

    private static let sources = ArgumentSpec(
        "PATH", "a Swift file, an .xcdatamodeld, or a folder of them", count: .atLeastOne, kind: .file)
    private static let sourcesProgram = OptionSpec.value(
        "sources-program", "FILE", "the program that reads Swift", kind: .file,
        standard: "syncserver-sources beside this program or in the library's SourceReader/.build")
    /// The options for importing an app's sources. They select earlier commits to read, and state facts that the
    /// sources do not contain, such as renamed models.
    static let sourceOptions: [OptionSpec] = [
        .flag("git", "also read the states of the sources that the repository's tags name"),
        .value("tags", "PATTERN", "with --git: which tags", standard: "v*"),
        .value(
            "commits", "FILE", "the commits to read instead of tags, oldest first, each with its version behind it",
            kind: .file),
        .value("version", "VERSION", "the number of models that have none", standard: "1.0.0, or the next"),
        .value("rename", "OLD=NEW", "a model, or Model.old=new, that has another name since", isRepeated: true),
        .value("removed", "NAME", "a model, or Model.attribute, that is gone: nothing new is it", isRepeated: true),
        sourcesProgram,
    ]
    private static let importOptions: [OptionSpec] =
        [
            .app,
            .value("namespace", "NAME", "of the versions' types", standard: "the app's name with a capital"),
        ] + sourceOptions + [
            .value(
                "directory", "PATH", "where to write", kind: .folder, standard: "the plan's folder, or Sources/<App>"),
            .flag(
                "anew",
                "write a plan of which nothing is published once more, without what was answered by hand"),
            .flag("public", "for a library target: what is written is public"),
            .flag("dry-run", "only print what would be written"),
            .migrations, .json,
        ]

    private static func version(_ name: String) -> ArgumentSpec {
        ArgumentSpec(name, "a version, such as 0.1.0")
    }

    /// Returns the plan declaration of the app given by `--app`. Without the option, returns the declarations of all
    /// apps.
    static func declarations(_ options: Options) throws(UsageError) -> [any SchemaMigrationPlan.Type] {
        guard let app = options["app"] else { return Environment.apps }
        return [try Environment.declaration(app)]
    }

    /// Returns the plan of the app given by `--app`. The option is required if the program serves several apps.
    static func appsPlan(_ options: Options) throws -> Plan {
        _ = try options.appName()
        return try Plan(declarations(options)[0])
    }

    /// Returns the version given as text, as an index in the plan's `shapes`.
    static func version(_ text: String, of plan: Plan) throws(UsageError) -> Int {
        guard let index = ShapeName(text).flatMap({ plan.index(of: $0) }) else {
            let known = plan.shapes.indices.map { "\(plan.name(of: $0))" }.joined(separator: ", ")
            throw UsageError("‘\(plan.app)’ has no version ‘\(text)’; it has \(known).".wrapped())
        }
        return index
    }

    /// Returns the versions given by the command's two arguments, as indices in the plan's `shapes`.
    static func versions(_ options: Options, of plan: Plan) throws(UsageError) -> (Int, Int) {
        return (try version(options.positional[0], of: plan), try version(options.positional[1], of: plan))
    }
}

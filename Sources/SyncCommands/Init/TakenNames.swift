/// Names that a new package must not use, because they would clash with types and modules that it needs.
enum TakenNames {
    /// Returns true if the name cannot be used for a namespace and for the package's targets.
    ///
    /// - Parameter type: a name such as `Pantry`.
    static func isTaken(_ type: String) -> Bool {
        plan.contains(type) || keywords.contains(type)
            || ["", "Server", "Compat", "Tests"].contains { modules.contains((type + $0).lowercased()) }
    }

    /// The names of library types that version files use. A type of the package with the same name would hide the
    /// library's type.
    private static let plan: Set<String> = [
        "Attribute", "Convert", "Distinct", "HistoricalVariant", "Identity", "Inherits", "MapCases", "Merge",
        "MigrationStage", "Model", "Models", "Relationship", "Removed", "RemovedModel", "Schema",
        "SchemaMigrationPlan", "Split", "Substitute", "Undecided", "UnknownCase", "VersionedSchema",
    ]

    private static let keywords: Set<String> = ["Any", "Protocol", "Self", "Type"]

    /// The modules of the toolchain and of this library that a package links, in lower case. Two modules of the same
    /// name cannot be built, and file systems may not distinguish case.
    private static let modules: Set<String> = [
        "builtin", "ccurl", "cepoll", "cmalloc", "cmicrohttpd", "copenssl", "cpgquery", "cpostgres", "crelease",
        "csimdjson", "cspawn", "csqlite", "cxx", "cxxstdlib", "czlib", "czstd", "darwin", "dispatch", "distributed",
        "foundation", "foundationessentials", "foundationinternationalization", "foundationnetworking", "foundationxml",
        "glibc", "httpserver", "musl", "observation", "openid", "operations", "packagedescription",
        "pgmigrations",
        "pgstore",
        "plantedbugs", "postgres", "regexbuilder", "runtime", "schemaimport", "servermigrations", "sourcefacts",
        "sqltext", "strictjson", "swift", "swiftdata", "swiftononesupport", "syncclient", "synccommands", "syncengine",
        "syncmodel",
        "syncserver", "syncsimulator", "synctesting", "synchronization", "testing", "wireformats", "xctest",
    ]
}

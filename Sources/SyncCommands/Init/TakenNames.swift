/// Names that a package's own types and modules would hide or clash with.
enum TakenNames {
    /// True if a namespace, and the package's targets named after it, cannot have this name.
    ///
    /// - Parameter type: a name such as `Pantry`.
    static func isTaken(_ type: String) -> Bool {
        plan.contains(type) || keywords.contains(type)
            || ["", "Server", "Compat", "Tests"].contains { modules.contains((type + $0).lowercased()) }
    }

    /// The types that plans are written with, which version files use by these names.
    private static let plan: Set<String> = [
        "Attribute", "Convert", "Distinct", "HistoricalVariant", "Identity", "Inherits", "MapCases", "Merge",
        "MigrationStage", "Model", "Models", "Relationship", "Removed", "RemovedModel", "Schema",
        "SchemaMigrationPlan", "Split", "Substitute", "Undecided", "UnknownCase", "VersionedSchema",
    ]

    private static let keywords: Set<String> = ["Any", "Protocol", "Self", "Type"]

    /// Modules of the toolchain, and modules of this library that a package links: two modules of one name cannot be
    /// built. In lower case, as file systems may not distinguish case.
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

// swift-tools-version: 6.2
import PackageDescription

// Every Swift target: Swift 6 mode, the upcoming features that make imports and existentials explicit, and no warning.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// Targets that call no C are memory safe by construction: `unsafe` never appears in them.
let safe = strict + [.strictMemorySafety()]

// Which commit a release is made from: ‘syncserver --version’ says it. script/release sets it; other builds have none.
let commit = Context.environment["SYNCSERVER_COMMIT"] ?? ""

let package = Package(
    name: "syncserver",
    // For what a device links: StrictJSON, WireFormats and SyncClient. script/availability checks it. Everything else
    // is for Linux.
    // No watchOS: on what watchOS 11 runs on, an ‘Int’ has 32 bits, and a Timestamp's text takes one of 64.
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .executable(name: "syncserver", targets: ["Run"]),
        // ‘syncserver compat’ runs it, so that what serves links no client and no simulator.
        .executable(name: "syncserver-compat", targets: ["RunCompat"]),
        .library(name: "WireFormats", targets: ["WireFormats"]),
        .library(name: "SyncClient", targets: ["SyncClient"]),
        // For a server of one's own plans, and for its tests.
        .library(name: "SyncServer", targets: ["SyncServer", "SyncCommands"]),
        .library(name: "SyncTesting", targets: ["SyncTesting"]),
        .library(name: "DemoApps", targets: ["DemoApps"]),
        .library(name: "SourceFacts", targets: ["SourceFacts"]),
    ],
    traits: [
        .trait(name: "SimdJSON", description: "Parse JSON with Debian's simdjson on Linux: what a server should do."),
        .default(enabledTraits: ["SimdJSON"]),
    ],
    targets: [
        // C libraries, all from Debian's packages: module maps and shims, nothing else.
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CPgQuery", providers: [.apt(["libpg-query-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CSpawn"),
        // On Apple's systems ‘import SQLite3’ is it.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(
            name: "CSimdJSON",
            cxxSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))],
            linkerSettings: [.linkedLibrary("simdjson")]),

        .target(name: "CRelease", cxxSettings: [.define("SYNCSERVER_COMMIT", to: "\"\(commit)\"")]),

        // A parser and a writer. Builds wherever Swift does; without the trait, and on other systems, it needs nothing
        // else.
        .target(
            name: "StrictJSON",
            dependencies: [.target(name: "CSimdJSON", condition: .when(platforms: [.linux], traits: ["SimdJSON"]))],
            swiftSettings: strict),
        // Builds wherever Swift does.
        .target(
            name: "WireFormats", dependencies: ["StrictJSON"], swiftSettings: strict,
            // Rounding, in a debug build on Linux; whoever imports Glibc gets it by that.
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        // Mistakes that a debug build makes when it is told to, to see that the simulator finds them.
        .target(name: "PlantedBugs", swiftSettings: strict),
        // What SQL says, by PostgreSQL's own parser; it needs no server.
        .target(name: "SQLText", dependencies: ["CPgQuery", "StrictJSON"], swiftSettings: strict),
        // A client of PostgreSQL: connections, pools, clusters, clocks. It knows nothing of sync.
        .target(
            name: "Postgres", dependencies: ["CPostgres", "COpenSSL", "CSpawn", "WireFormats"],
            swiftSettings: strict),
        // The only place with SQL about spaces: records, members, versions, agreement of plan and tables.
        .target(name: "PGStore", dependencies: ["PlantedBugs", "Postgres", "WireFormats"], swiftSettings: strict),
        // What changes the tables: the runner and its ledger, rehearsals, the doctor, the linter.
        .target(
            name: "PGMigrations", dependencies: ["PGStore", "Postgres", "SQLText", "ServerMigrations", "WireFormats"],
            swiftSettings: strict),
        .target(name: "HTTPServer", dependencies: ["CEpoll", "CMicroHTTPD", "CZlib", "CZstd"], swiftSettings: strict),
        // The tokens of identity providers: who signed them, and what they say.
        .target(
            name: "OpenID", dependencies: ["CCurl", "COpenSSL", "StrictJSON", "WireFormats"], swiftSettings: strict),
        // What a server does with changes: push, pull, merge, cursors, quarantine, collecting, census. No HTTP.
        .target(
            name: "SyncEngine",
            dependencies: ["COpenSSL", "StrictJSON", "PGStore", "PlantedBugs", "Postgres", "WireFormats"],
            swiftSettings: strict),
        // The service: admission, API, tokens, limits, events, metrics.
        .target(
            name: "SyncServer",
            dependencies: [
                "CMalloc", "HTTPServer", "StrictJSON", "OpenID", "PGMigrations", "PGStore", "PlantedBugs", "Postgres",
                "SyncEngine", "WireFormats",
            ],
            resources: [.embedInCode("API/OpenAPI/parameters.json"), .embedInCode("API/OpenAPI/schemas.json")],
            swiftSettings: strict),
        // What operators do, as functions with results, which commands print.
        .target(
            name: "Operations",
            dependencies: [
                "PGMigrations", "PGStore", "PlantedBugs", "Postgres", "StrictJSON", "SyncEngine", "WireFormats",
            ],
            swiftSettings: strict),
        // The command line of a server, but for ‘compat’.
        .target(
            name: "SyncCommands",
            dependencies: [
                "CRelease", "HTTPServer", "StrictJSON", "OpenID", "Operations", "PGMigrations", "PGStore", "Postgres",
                "SchemaImport",
                "SourceFacts", "SQLText", "SyncEngine", "SyncServer", "WireFormats",
            ],
            swiftSettings: strict),
        // What the tests of an app import, and ‘compat’.
        .target(
            name: "SyncTesting",
            dependencies: [
                "HTTPServer", "StrictJSON", "Operations", "PGMigrations", "PGStore", "Postgres", "SyncClient",
                "SyncCommands", "SyncEngine", "SyncServer", "SyncSimulator", "WireFormats",
            ],
            swiftSettings: strict),
        // The server's own line of migrations travels in the library, so that an app's package holds only its own.
        .target(
            name: "ServerMigrations", path: "Migrations",
            exclude: ["allesteurer", "easitopen", "fitiq", "keeptrack", "schemas.lock"],
            sources: ["ServerMigrations.swift"], resources: [.embedInCode("sync")], swiftSettings: safe),
        .target(name: "DemoApps", dependencies: ["StrictJSON", "WireFormats"], swiftSettings: safe),
        // What an app's own Swift files declare: syntax alone, read by a package of its own.
        .target(name: "SourceFacts", swiftSettings: safe),
        // From such facts to version files and a plan: what follows is written, what does not is asked.
        .target(name: "SchemaImport", dependencies: ["StrictJSON", "SourceFacts", "WireFormats"], swiftSettings: safe),
        .executableTarget(name: "Run", dependencies: ["DemoApps", "SyncCommands"], swiftSettings: safe),
        .executableTarget(name: "RunCompat", dependencies: ["DemoApps", "SyncTesting"], swiftSettings: safe),
        // What a space must hold, worked out from the promises alone: it judges the server, and shares no code with it.
        .target(name: "SyncModel", dependencies: ["StrictJSON", "WireFormats"], swiftSettings: safe),
        // What a device links.
        .target(
            name: "SyncClient",
            dependencies: [
                "StrictJSON", "PlantedBugs", "WireFormats",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CSQLite", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict),
        .target(
            name: "SyncSimulator", dependencies: ["StrictJSON", "PGStore", "Postgres", "SyncModel", "WireFormats"],
            swiftSettings: strict),
        .target(
            name: "SyncTestSupport",
            dependencies: [
                "COpenSSL", "DemoApps", "HTTPServer", "StrictJSON", "OpenID", "Operations", "PGMigrations", "PGStore",
                "PlantedBugs", "Postgres", "SyncClient", "SyncCommands", "SyncEngine", "SyncServer", "SyncSimulator",
                "SyncTesting",
                "WireFormats",
            ],
            swiftSettings: strict),

        // A server of its own plan, as a team has: for the simulator.
        .executableTarget(
            name: "Workshop", dependencies: ["SyncCommands", "SyncTesting", "WireFormats"], path: "Tests/Workshop",
            exclude: ["Migrations"], swiftSettings: safe),

        // A device over SyncClient, as a team has one of its own builds: for ‘compat --client’.
        .executableTarget(
            name: "ClientDriver", dependencies: ["DemoApps", "StrictJSON", "SyncClient", "WireFormats"],
            path: "Tests/ClientDriver", swiftSettings: safe),

        // What a device does, to be seen.
        .executableTarget(
            name: "Diary", dependencies: ["DemoApps", "SyncClient", "WireFormats"], path: "Examples/Diary",
            swiftSettings: strict),

        // The lenses by themselves, without server or database. Here and not in the package of the benchmarks, because
        // lenses are ‘package’.
        .executableTarget(
            name: "LensBench", dependencies: ["DemoApps", "WireFormats"], path: "Benchmarks/Lenses",
            swiftSettings: safe),

        .testTarget(
            name: "SchemaImportTests",
            dependencies: [
                "DemoApps", "StrictJSON", "SchemaImport", "SourceFacts", "SyncCommands", "SyncTestSupport",
                "WireFormats",
            ],
            // Sources of apps, which are read and not built.
            exclude: ["Corpus"], swiftSettings: strict),
        .testTarget(
            name: "OpenIDTests",
            dependencies: [
                "HTTPServer", "OpenID", "Postgres", "SyncTestSupport", "WireFormats",
            ],
            swiftSettings: strict),
        .testTarget(name: "WireFormatsTests", dependencies: ["StrictJSON", "WireFormats"], swiftSettings: strict),
        .testTarget(
            name: "DemoAppsTests", dependencies: ["DemoApps", "StrictJSON", "WireFormats"],
            resources: [.copy("Fixtures")],
            swiftSettings: strict),
        .testTarget(
            name: "SQLTextTests",
            dependencies: ["Postgres", "SQLText", "SyncTesting", "SyncTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresTests",
            dependencies: [
                "PGStore", "Postgres", "SyncTesting", "SyncTestSupport", "WireFormats",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PGMigrationsTests",
            dependencies: [
                "DemoApps", "PGMigrations", "PGStore", "Postgres", "SQLText", "SyncCommands", "SyncEngine",
                "SyncServer", "SyncTesting", "SyncTestSupport", "WireFormats",
            ],
            swiftSettings: strict),
        .testTarget(name: "HTTPServerTests", dependencies: ["HTTPServer"], swiftSettings: strict),
        .testTarget(
            name: "SyncServerTests",
            dependencies: [
                "DemoApps", "HTTPServer", "StrictJSON", "OpenID", "Operations", "PGMigrations", "PGStore",
                "PlantedBugs",
                "Postgres",
                "SyncClient", "SyncCommands", "SyncEngine", "SyncModel", "SyncServer", "SyncSimulator", "SyncTesting",
                "SyncTestSupport", "WireFormats", "Workshop",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SyncCommandsTests",
            dependencies: [
                "DemoApps", "HTTPServer", "Operations", "PGMigrations", "PGStore", "Postgres", "SyncClient",
                "StrictJSON", "SyncCommands", "SyncEngine", "SyncServer", "SyncSimulator", "SyncTesting",
                "SyncTestSupport", "WireFormats",
            ],
            // Files of released apps, which ‘import’ reads.
            resources: [.copy("Fixtures")], swiftSettings: strict),
        .testTarget(
            name: "SyncClientTests",
            dependencies: [
                "DemoApps", "Diary", "HTTPServer", "StrictJSON", "Postgres", "SyncClient", "SyncEngine", "SyncServer",
                "SyncTestSupport", "WireFormats",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CompatTests",
            dependencies: [
                "DemoApps", "HTTPServer", "StrictJSON", "PGMigrations", "PGStore", "Postgres", "SyncClient",
                "SyncCommands",
                "SyncEngine", "SyncServer", "SyncSimulator", "SyncTesting", "SyncTestSupport", "WireFormats",
                "Workshop",
            ],
            // The golden files of what is published, which are read where they lie.
            exclude: ["fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "SyncSimulatorTests",
            dependencies: [
                "DemoApps", "PlantedBugs", "SyncSimulator", "SyncTestSupport", "SyncTesting", "WireFormats", "Workshop",
            ],
            swiftSettings: strict),
        // Reads the other targets' files, and needs none of them.
        .testTarget(name: "TidyTests", swiftSettings: strict),
    ],
    cxxLanguageStandard: .cxx17
)

// For script/fuzz alone: what is built so is linked with libFuzzer, which has the main function.
if Context.environment["SYNCSERVER_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "DemoApps", "HTTPServer", "StrictJSON", "OpenID", "PGMigrations", "SyncEngine", "SyncServer",
                "WireFormats",
            ],
            path: "Tests/Fuzz", exclude: ["Corpus"],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer", "-enable-testing"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))
}

// For .ci/run: what the tests run is optimized, and the tests are not. It is still a debug build: mistakes can be
// planted in it, and the tests see what is internal.
if Context.environment["SYNCSERVER_OPTIMIZE"] != nil {
    for target in package.targets where target.type == .regular || target.type == .executable {
        // A module at once: 29 % less work for the compiler than file by file (SyncEngine, 28 November 2026).
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode"])
            ]
    }
}

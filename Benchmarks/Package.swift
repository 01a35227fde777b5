// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "syncserver", path: "..")],
    targets: [
        // The server that script/bench runs: the whole server, with an app of the benchmark.
        .executableTarget(
            name: "BenchServer",
            dependencies: [
                .product(name: "DemoApps", package: "syncserver"), .product(name: "SyncServer", package: "syncserver"),
                .product(name: "WireFormats", package: "syncserver"),
            ],
            swiftSettings: strict),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "BenchSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "BenchSupport", swiftSettings: strict),
        // The server is measured as users run it, as a separate process; this target builds it.
        .executableTarget(
            name: "SyncBench",
            dependencies: ["BenchSupport", "CLibPQ", .product(name: "syncserver", package: "syncserver")],
            swiftSettings: strict),
        // A device's store, compared with plain SQLite and plain requests.
        .executableTarget(
            name: "ClientBench",
            dependencies: [
                "BenchSQLite", "BenchSupport", .product(name: "DemoApps", package: "syncserver"),
                .product(name: "SyncClient", package: "syncserver"),
                .product(name: "WireFormats", package: "syncserver"),
                .product(name: "syncserver", package: "syncserver"),
            ],
            swiftSettings: strict),
        // A simulation of many devices, with the measured costs. It needs neither the server nor a database.
        .executableTarget(name: "ScaleModel", swiftSettings: strict),
    ]
)

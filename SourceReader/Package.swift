// swift-tools-version: 6.2
import Foundation
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
]

/// The folder of the SwiftSyntax modules and libraries that the toolchain's compiler is built with: beside the `swift`
/// on the `PATH`, or in the toolchain that SYNCSERVER_TOOLCHAIN names, the folder that contains `usr`.
let swiftSyntax: String = {
    let searched: [URL]
    if let toolchain = Context.environment["SYNCSERVER_TOOLCHAIN"], !toolchain.isEmpty {
        searched = [URL(fileURLWithPath: toolchain).appendingPathComponent("usr/bin/swift")]
    } else {
        searched = (Context.environment["PATH"] ?? "").split(separator: ":").map {
            URL(fileURLWithPath: String($0)).appendingPathComponent("swift")
        }
    }
    for program in searched where FileManager.default.isExecutableFile(atPath: program.path) {
        let usr = program.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
        let folder = usr.appendingPathComponent("lib/swift/host").path
        if FileManager.default.fileExists(atPath: folder + "/SwiftParser.swiftmodule") { return folder }
    }
    let message =
        "No toolchain has SwiftSyntax in usr/lib/swift/host, as those of swift.org do; searched beside "
        + (searched.map(\.path).joined(separator: ", "))
        + ". Put its usr/bin first in PATH, or set SYNCSERVER_TOOLCHAIN to the folder that has usr in it.\n"
    FileHandle.standardError.write(Data(message.utf8))
    exit(1)
}()

let syntaxModules: [SwiftSetting] = [.unsafeFlags(["-I", swiftSyntax])]
let syntaxLibraries: [LinkerSetting] = [
    .unsafeFlags(["-L", swiftSyntax, "-Xlinker", "-rpath", "-Xlinker", swiftSyntax])
]

let package = Package(
    name: "SourceReader",
    products: [.executable(name: "syncserver-sources", targets: ["RunSources"])],
    dependencies: [.package(name: "syncserver", path: "..")],
    targets: [
        .target(
            name: "SourceReading", dependencies: [.product(name: "SourceFacts", package: "syncserver")],
            swiftSettings: strict + syntaxModules, linkerSettings: syntaxLibraries),
        .executableTarget(
            name: "RunSources", dependencies: ["SourceReading"], swiftSettings: strict + syntaxModules,
            linkerSettings: syntaxLibraries),
        // These tests also run the program.
        .testTarget(
            name: "SourceReadingTests",
            dependencies: ["RunSources", "SourceReading", .product(name: "SourceFacts", package: "syncserver")],
            swiftSettings: strict + syntaxModules, linkerSettings: syntaxLibraries),
    ]
)

import Foundation
import SyncTestSupport
import Testing

@testable import SyncCommands

/// A program of Swift files written by the importer, with the plan language.
enum GeneratedProgram {
    /// The folder of the build that runs the tests.
    private static let build = Environment.programPath.map { URL(filePath: $0).deletingLastPathComponent().path } ?? ""
    /// True if the objects of the build are not instrumented; a sanitizer's objects link only with the sanitizer.
    static let isPlain = !build.contains(".build-")

    /// Compiles the files of a folder, and runs the program.
    ///
    /// - Returns: the lines that it prints.
    static func output(of folder: URL) throws -> [String] {
        let objects = try ["StrictJSON", "WireFormats"].flatMap { module in
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(build)/\(module).build")
            return names.filter { $0.hasSuffix(".swift.o") }.map { "\(build)/\(module).build/\($0)" }
        }
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { "\(folder.path)/\($0)" }
        let program = folder.appending(path: "program").path
        let words =
            [
                "swiftc", "-swift-version", "6", "-package-name", packageName, "-I", "\(build)/Modules", "-Xcc",
                "-fmodule-map-file=\(build)/CSimdJSON.build/module.modulemap", "-o", program,
            ] + sources + objects + ["\(build)/CSimdJSON.build/csimdjson.cpp.o", "-lsimdjson", "-lstdc++", "-lm"]
        let (status, output, errors) = try ProcessOutput.of("/usr/bin/env", words)
        try #require(status == 0, "\(String(decoding: output, as: UTF8.self))\(errors)")
        let run = try ProcessOutput.of("/usr/bin/env", [program])
        return String(decoding: run.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The name that SwiftPM gives this package: its folder, in lower case.
    private static var packageName: String {
        let folder = URL(filePath: Repository.root).lastPathComponent
        return String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }
}

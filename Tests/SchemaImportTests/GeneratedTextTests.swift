import Foundation
import SourceFacts
import SyncTestSupport
import Testing
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// What is written is Swift that builds, says what was resolved, and is as the formatter wants it.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct GeneratedTextTests {
    private func write(_ result: ImportResult, to folder: URL) throws {
        for file in result.files { try Data(file.text.utf8).write(to: folder.appending(path: file.name)) }
    }

    private func run(_ words: [String]) throws -> (status: Int32, text: String) {
        let (status, output, errors) = try ProcessOutput.of("/usr/bin/env", words)
        return (status, String(decoding: output, as: UTF8.self) + errors)
    }

    static let imports: [(folders: [String], namespace: String, renamings: [String])] = [
        (["Constructs"], "Constructs", []), (["Pantry"], "Pantry", []), (["FitIQ"], "Diary", []),
        (
            ["KeepTrack"], "Track",
            ["Entry", "IntakeType", "Goal", "AppSettings"].flatMap { ["SD\($0)V0=SD\($0)V1", "SD\($0)V1=SD\($0)"] }
        ),
        (["EasitOpen/0.0.1", "EasitOpen/0.0.2", "EasitOpen/1.0.0", "EasitOpen/2.0.0"], "Places", []),
        (["AllesTeurer"], "Prices", ["ProductV1=Product", "PurchaseV1=Purchase"]), (["Living"], "Living", []),
        (["Garden.xcdatamodeld"], "Garden", []),
    ]

    @Test(arguments: imports.indices)
    func theFormatterHasNothingToSay(_ place: Int) throws {
        let (folders, namespace, renamings) = GeneratedTextTests.imports[place]
        let directory = try TemporaryDirectory()
        let folder = URL(filePath: directory.path)
        try write(try Corpus.imported(folders, namespace: namespace, renamings: renamings), to: folder)
        let (status, text) = try run([
            "swift", "format", "lint", "--strict", "--recursive", "--configuration",
            Repository.root + "/.swift-format", folder.path,
        ])
        #expect(status == 0, "\(text)")
    }

    /// The folder of this build: that of the program that runs the tests.
    private static let build = Environment.programPath.map { URL(filePath: $0).deletingLastPathComponent().path } ?? ""
    /// Objects that a sanitizer instrumented link only with it.
    private static let isPlain = !build.contains(".build-")

    @Test(.enabled(if: isPlain)) func theCompilerReadsWhatTheImporterMeant() throws {
        let directory = try TemporaryDirectory()
        let folder = URL(filePath: directory.path)
        var expected: [String] = []
        var main = "import WireFormats\n"
        for (folders, namespace, renamings) in GeneratedTextTests.imports {
            let result = try Corpus.imported(folders, namespace: namespace, renamings: renamings)
            try write(result, to: folder)
            // Questions keep a plan from being one; what each version declares is there all the same.
            main += "for type in \(namespace)Plan.schemas { print(Schema.declared(type).fingerprint) }\n"
            main += "do { _ = try Plan(\(namespace)Plan.self); print(\"in order\") } catch { print(\"to decide\") }\n"
            expected += result.versions.filter { !$0.isVariant }.map(\.schema.fingerprint)
            expected.append(result.decisions.isEmpty ? "in order" : "to decide")
        }
        try Data(main.utf8).write(to: folder.appending(path: "main.swift"))
        let build = GeneratedTextTests.build
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(build)/WireFormats.build")
        let objects = names.filter { $0.hasSuffix(".swift.o") }.map { "\(build)/WireFormats.build/\($0)" }
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { "\(folder.path)/\($0)" }
        let program = folder.appending(path: "program").path
        let (status, text) = try run(
            [
                "swiftc", "-swift-version", "6", "-package-name", try packageName(), "-I", "\(build)/Modules",
                "-Xcc", "-fmodule-map-file=\(build)/CSimdJSON.build/module.modulemap", "-o", program,
            ] + sources + objects
                + ["\(build)/CSimdJSON.build/csimdjson.cpp.o", "-lsimdjson", "-lstdc++", "-lm"])
        try #require(status == 0, "\(text)")
        #expect(try run([program]).text.split(separator: "\n").map(String.init) == expected)
        #expect(expected.contains("in order"))
        #expect(expected.contains("to decide"))
    }

    /// As SwiftPM calls this package: its folder, in lower case.
    private func packageName() throws -> String {
        let folder = URL(filePath: Repository.root).lastPathComponent
        return String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }
}

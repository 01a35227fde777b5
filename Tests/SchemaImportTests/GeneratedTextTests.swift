import Foundation
import SourceFacts
import SyncTestSupport
import Testing
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// The generated files: they compile, declare the resolved models, and pass the formatter.
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
    func theFormatterHasNothingToSay(_ index: Int) throws {
        let (folders, namespace, renamings) = GeneratedTextTests.imports[index]
        let directory = try TemporaryDirectory()
        let folder = URL(filePath: directory.path)
        try write(try Corpus.imported(folders, namespace: namespace, renamings: renamings), to: folder)
        let (status, text) = try run([
            "swift", "format", "lint", "--strict", "--recursive", "--configuration",
            Repository.root + "/.swift-format", folder.path,
        ])
        #expect(status == 0, "\(text)")
    }

    @Test(.enabled(if: GeneratedProgram.isPlain)) func theCompilerReadsWhatTheImporterMeant() throws {
        let directory = try TemporaryDirectory()
        let folder = URL(filePath: directory.path)
        var expected: [String] = []
        var main = "import WireFormats\n"
        for (folders, namespace, renamings) in GeneratedTextTests.imports {
            let result = try Corpus.imported(folders, namespace: namespace, renamings: renamings)
            try write(result, to: folder)
            // The plan is invalid while it has questions, but the declarations of each version can be read.
            main += "for type in \(namespace)Plan.schemas { print(Schema.declared(type).fingerprint) }\n"
            main += "do { _ = try Plan(\(namespace)Plan.self); print(\"in order\") } catch { print(\"to decide\") }\n"
            expected += result.versions.filter { !$0.isVariant }.map(\.schema.fingerprint)
            expected.append(result.questions.isEmpty ? "in order" : "to decide")
        }
        try Data(main.utf8).write(to: folder.appending(path: "main.swift"))
        #expect(try GeneratedProgram.output(of: folder) == expected)
        #expect(expected.contains("in order"))
        #expect(expected.contains("to decide"))
    }
}

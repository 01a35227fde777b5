import Foundation
import WireFormats

/// `syncserver init`: a package that serves an app of one's own, ready to build.
struct InitCommand {
    static let spec = CommandSpec(
        "init", "Make a package for your own app: plan, server, tests, migrations",
        details: [
            "It writes a folder with a first version of an example model, builds it, and drafts its migrations. "
                + "Replace the example by your app's models; ‘schema check’ says what is missing.",
            "Nothing is written over.",
        ],
        arguments: [ArgumentSpec("NAME", "the app, such as Pantry")],
        options: [
            .value("directory", "PATH", "the new folder", kind: .folder, standard: "the app's name, here"),
            .value(
                "library", "PATH|URL[@VERSION]", "where the package finds this library",
                standard: "the folder in which this program was built"),
            .flag("no-build", "only write the files"),
            .json,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let name = try PackageName(options.positional[0])
        let folder = URL(filePath: options["directory"] ?? name.program).standardizedFileURL.path
        let template = PackageTemplate(name: name, library: try LibraryLocation(options["library"], from: folder))
        try write(template.files, to: folder)
        let builds = !options.has("no-build")
        if builds {
            Terminal.note("Wrote \(folder). Building it, which takes some minutes the first time.")
            try launch("swift", ["build", "--product", name.program], in: folder)
            try launch(
                "swift",
                ["run", "--skip-build", name.program, "schema", "sql", "1.0.0", "--write", "--app", name.app],
                in: folder)
        }
        if options.has("json") {
            Terminal.print(json(template, folder, built: builds))
        } else {
            Terminal.print(nextSteps(name, options["directory"] ?? name.program, built: builds))
        }
        return 0
    }

    /// All of them into a folder that is not there yet or empty, or none.
    private static func write(_ files: [PackageTemplate.File], to folder: String) throws(CommandError) {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        if manager.fileExists(atPath: folder, isDirectory: &isFolder) {
            let isEmpty = isFolder.boolValue && (try? manager.contentsOfDirectory(atPath: folder))?.isEmpty == true
            guard isEmpty else {
                throw CommandError("\(folder) is there already. Name another folder with ‘--directory’.")
            }
        }
        do {
            for file in files {
                let url = URL(filePath: "\(folder)/\(file.path)")
                try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.text.utf8).write(to: url, options: .withoutOverwriting)
                if file.isProgram {
                    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
                }
            }
        } catch {
            throw CommandError("\(folder) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Runs a program and waits for it; what it prints goes to standard error, which is for progress.
    private static func launch(_ program: String, _ arguments: [String], in folder: String) throws(CommandError) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.standardError
        let command = ([program] + arguments).joined(separator: " ")
        do {
            try process.run()
        } catch {
            throw CommandError("‘\(command)’ cannot be run: \(error.localizedDescription)")
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(
                "The files are in \(folder), but ‘\(command)’ failed there. ‘script/setup’ installs what a build needs "
                    + "of Debian; then run the command again.")
        }
    }

    private static func nextSteps(_ name: PackageName, _ folder: String, built: Bool) -> String {
        let drafting = """
              script/setup                             # what a build needs of Debian
              swift run \(name.program) schema sql 1.0.0 --write --app \(name.app)

            """
        return """
            \(name.type) is in \(folder). Next:

              cd \(folder)
            \(built ? "" : drafting)  swift test                               # every version, conversions, migrations
              swift run \(name.program) serve --demo          # serves it, with a PostgreSQL of its own

            Then replace the example in Sources/\(name.type)/SchemaV1.swift by your models.
            """
    }

    private static func json(_ template: PackageTemplate, _ folder: String, built: Bool) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("app", template.name.app)
            writer.member("directory", folder)
            writer.member("files", template.files.map(\.path))
            writer.member("isBuilt", built)
            writer.endObject()
        }
    }
}

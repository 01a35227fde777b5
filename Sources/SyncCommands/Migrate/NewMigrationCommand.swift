import Foundation
import PGMigrations
import PGStore
import Postgres
import StrictJSON
import WireFormats

/// `syncserver migrate new`: creates the next migration file of the server or an app.
struct NewMigrationCommand {
    static let spec = CommandSpec(
        "new", "Write the next file of a line, with a step for each phase",
        arguments: [
            ArgumentSpec("LINE", "an app, or sync for the server's own tables"),
            ArgumentSpec("VERB-NOUN", "what it does, such as add-mood"),
        ],
        options: [
            .value(
                "phase", "PHASE,…", "expand,backfill,verify,contract or some of them, in that order",
                standard: "expand"),
            .migrations, .json,
        ],
        run: { try run($0) })

    static func run(_ options: Options) throws -> Int32 {
        let phases = try phases(options["phase"] ?? MigrationStep.Phase.expand.rawValue)
        let known = try [MigrationLine.serverLineName] + Environment.plans().map(\.app)
        let line = options.positional[0]
        guard known.contains(line) else {
            throw CommandError("There is no line ‘\(line)’; there are \(known.joined(separator: ", ")).")
        }
        let folder = "\(try Environment.migrationsDirectory(options))/\(line)"
        let isNew = !FileManager.default.fileExists(atPath: folder)
        if isNew, line == MigrationLine.serverLineName {
            throw CommandError(
                "The migrations of ‘\(line)’ come with the library: a package holds those of its own apps. "
                    + "Name one of \(known.dropFirst().joined(separator: ", ")).")
        }
        let files = isNew ? [] : try MigrationLine.read(directory: folder).files
        let skeleton = MigrationSkeleton(
            line: line, number: files.count + 1, name: try name(options.positional[1], after: files), phases: phases)
        try write(skeleton, in: folder)
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("migration", "\(line)/\(skeleton.fileName)")
                    writer.member("file", "\(folder)/\(skeleton.fileName)")
                    writer.member("text", skeleton.text)
                    writer.endObject()
                })
        } else {
            Terminal.print("Wrote \(folder)/\(skeleton.fileName).")
            Terminal.print("Write its statements, then ‘syncserver migrate lint’ and ‘syncserver migrate plan’.")
        }
        return 0
    }

    private static func phases(_ text: String) throws(UsageError) -> [MigrationStep.Phase] {
        let all = MigrationStep.Phase.allCases
        let phases = try text.split(separator: ",").map { word throws(UsageError) in
            guard let phase = MigrationStep.Phase(rawValue: String(word)) else {
                let names = all.map(\.rawValue).joined(separator: ", ")
                throw UsageError("There is no phase ‘\(word)’; there are \(names).")
            }
            return phase
        }
        guard !phases.isEmpty, phases == all.filter(phases.contains) else {
            throw UsageError("‘--phase’ takes each phase once, in their order: expand,backfill,verify,contract.")
        }
        return phases
    }

    /// Parses the name of a new migration. If a number precedes the name, it must be the next number after `files`.
    private static func name(_ text: String, after files: [MigrationFile]) throws(CommandError) -> String {
        guard let match = text.wholeMatch(of: /(?:([0-9]{4})-)?([a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?:\.sql)?/) else {
            throw CommandError(
                "‘\(text)’ is no name for a migration: a verb and a noun in lower case, such as add-mood.")
        }
        let name = String(match.2)
        if let number = match.1.flatMap({ Int($0) }), number != files.count + 1 {
            let taken = files.first { $0.id.number == number }.map { "\($0.path) has that number" }
            throw CommandError("\(taken ?? "That leaves a gap"). The next one is \(files.count + 1); leave it out.")
        }
        if let same = files.first(where: { $0.name == name }) {
            throw CommandError("\(same.path) has that name already. Say what this one does in other words.")
        }
        return name
    }

    private static func write(_ skeleton: MigrationSkeleton, in folder: String) throws(CommandError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(skeleton.text.utf8).write(
                to: URL(filePath: "\(folder)/\(skeleton.fileName)"), options: .withoutOverwriting)
        } catch {
            throw CommandError("\(folder)/\(skeleton.fileName) cannot be written: \(error.localizedDescription)")
        }
    }
}

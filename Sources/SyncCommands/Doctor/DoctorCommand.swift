import Foundation
import PGMigrations
import StrictJSON

/// `syncserver doctor`: lists the missing requirements before a build, a test or a start fails because of one.
enum DoctorCommand {
    static let spec = CommandSpec(
        "doctor", "Say what a package of your own lacks, before a build or a start fails on it",
        details: [
            "It looks for the toolchain, libraries and PostgreSQL; the package and its library; the plan, its "
                + "migrations and what is published; and the database that ‘--database’ names. Nothing is changed. "
                + "‘migrate doctor’ looks into a database in depth.",
            "Exits with 1 when something is missing.",
        ],
        options: [
            .value("directory", "PATH", "the package's folder", kind: .folder, standard: "the working directory"),
            .migrations, .database, .json,
        ],
        run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let folder = URL(filePath: options["directory"] ?? ".").standardizedFileURL.path
        var needs = BuildNeeds(folder: folder).all
        // The served apps belong to the folder in which the program was built; elsewhere only files are known.
        if options["directory"] == nil, !Environment.apps.isEmpty {
            needs += await AppNeeds(options: options).all()
        }
        Terminal.print(options.has("json") ? json(needs) : text(needs))
        return needs.contains { $0.state == .missing } ? 1 : 0
    }

    static func text(_ needs: [Need]) -> String {
        var lines: [String] = []
        for need in needs {
            let mark =
                switch need.state {
                case .fine: "✓"
                case .open: "·"
                case .missing: "✗"
                }
            lines.append("\(mark) \(need.subject.padded(to: 12))\(need.finding)".wrapped(indent: 14))
            if !need.remedy.isEmpty {
                lines.append((String(repeating: " ", count: 14) + need.remedy).wrapped(indent: 0))
            }
        }
        let missing = needs.count { $0.state == .missing }
        return (lines + ["", missing == 0 ? "Nothing is missing." : "Missing: \(missing)."]).joined(separator: "\n")
    }

    private static func json(_ needs: [Need]) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("healthy", !needs.contains { $0.state == .missing })
            writer.member("needs", each: needs) { writer, need in
                writer.beginObject()
                writer.member("subject", need.subject)
                writer.member("state", need.state.rawValue)
                writer.member("finding", need.finding)
                writer.member("remedy", need.remedy)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}

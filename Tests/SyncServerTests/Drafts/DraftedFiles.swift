import PGMigrations
import Postgres
import SyncTestSupport
import WireFormats

@testable import SyncCommands

/// The drafts from nothing to a plan's first version and then for each step, as a line of migrations: what `schema sql`
/// prints, with what it leaves to write written.
struct DraftedFiles {
    let plan: Plan
    /// Changes the text of the file that leads to the version at an index in the plan's `schemas`.
    var alter: @Sendable (_ version: Int, _ text: String) -> String = { $1 }

    /// The server's own migrations.
    static func serverLine() throws -> MigrationLine {
        try MigrationLine.read(directory: "\(Repository.root)/Migrations/\(MigrationLine.serverLineName)")
    }

    /// The files that lead to the versions up to `last`; none for a version that needs no tables.
    func line(upTo last: Int) throws -> MigrationLine {
        var files: [MigrationFile] = []
        for version in 0...last {
            guard let (name, text) = draft(to: version, number: files.count + 1) else { continue }
            files.append(
                try MigrationFile(
                    line: plan.app, fileName: name, bytes: Array(alter(version, Self.written(text)).utf8)))
        }
        return try MigrationLine(name: plan.app, files: files)
    }

    /// The draft from the version before, as it is printed; `nil` where the tables need nothing.
    func draft(to version: Int, number: Int) -> (name: String, text: String)? {
        let draft = MigrationDraft(plan, from: version == 0 ? nil : version - 1, to: version, number: number)
        let digits = "\(10_000 + number)".dropFirst()
        return draft.name.map { name in
            let file = "\(digits)-\(name).sql"
            return (file, SchemaCommand.text(draft, of: plan.schemas[version].version, file: file, "A B --app X"))
        }
    }

    /// With every function that is left to write: it gives each column the same value whatever it is given.
    static func written(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var types: [String] = []
        var isStub = false
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("-- CREATE FUNCTION ") { (isStub, types) = (true, []) }
            guard isStub else { continue }
            lines[index] = String(line.dropFirst("-- ".count))
            if let match = line.firstMatch(of: /OUT \S+ ([a-z ]+)/) ?? line.firstMatch(of: /\) RETURNS ([a-z ]+)/) {
                types.append(String(match.1))
            }
            if line.contains("SELECT …") {
                lines[index] = "    SELECT " + types.map { "CAST('\(value($0))' AS \($0))" }.joined(separator: ", ")
            }
            if line == "-- $$;" { isStub = false }
        }
        return lines.joined(separator: "\n")
    }

    /// One that the type has; `other` is another one.
    static func value(_ type: String, other: Bool = false) -> String {
        switch type {
        case "boolean": other ? "true" : "false"
        case "bigint", "numeric", "double precision": other ? "8" : "7"
        case "timestamptz", "timestamp with time zone": other ? "2024-02-29 00:00:00+00" : "2020-01-01 00:00:00+00"
        case "uuid": "00000000-0000-0000-0000-00000000000" + (other ? "2" : "1")
        case "bytea": other ? "\\x01" : "\\x00"
        case "json": other ? "[1]" : "[]"
        default: other ? "3 cups" : "2 cups"
        }
    }
}

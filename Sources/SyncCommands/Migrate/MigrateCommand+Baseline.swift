import PGMigrations
import PGStore
import Postgres
import StrictJSON
import WireFormats

extension MigrateCommand {
    /// Records migrations as applied without running them, for a database whose tables exist already but which has no
    /// ledger of migrations. If the tables differ from those that the files would make, nothing is recorded.
    func baseline() async throws -> Int32 {
        let id = try MigrateCommand.target(options.positional[0])
        let schema = plans.first { $0.app == id.line }?.hub.schema ?? id.line
        let differences = try await migrator.baseline(id, schema: schema)
        Terminal.print(asJSON ? json(differences) : text(differences, id))
        return differences.isEmpty ? 0 : 1
    }

    private func text(_ differences: [Catalog.Difference], _ id: MigrationID) -> String {
        if differences.isEmpty {
            return "The tables are those of \(id.line)/\(id.number). The ledger says so now."
        }
        let list = differences.flatMap { difference in
            ["\(difference.object):"] + lines(difference.expected, "the files say") + lines(difference.found, "it is")
        }
        let count = differences.count == 1 ? "One difference" : "\(differences.count) differences"
        return (list + ["\(count); nothing was recorded."]).map { $0.wrapped() }.joined(separator: "\n")
    }

    private func lines(_ definition: String?, _ label: String) -> [String] {
        guard let definition else { return ["    \(label): nothing"] }
        let words = definition.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return ["    \(label): \(words.isEmpty ? "there" : words)"]
    }

    private func json(_ differences: [Catalog.Difference]) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("recorded", differences.isEmpty)
            writer.member("differences", each: differences) { writer, difference in
                writer.beginObject()
                writer.member("object", difference.object)
                writer.member("expected", difference.expected)
                writer.member("found", difference.found)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}

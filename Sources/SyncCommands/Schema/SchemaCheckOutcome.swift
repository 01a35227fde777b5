import PGMigrations
import PGStore
import Postgres
import StrictJSON
import WireFormats

/// The result of `schema check` for one app.
struct SchemaCheckOutcome {
    let app: String
    /// The reason why the plan does not compile; `nil` if it does.
    let error: PlanError?
    /// The report on the lens laws (the rules for conversions between versions); `nil` if the plan does not compile.
    let laws: LawReport?
    /// Advice about the newest version. The version itself stays valid without it, so its author can follow the advice
    /// in the next version.
    var notes: [PlanNote] = []
    /// The differences between the tables of a database and those that the plan needs; `nil` if no database was
    /// compared.
    var tables: [Agreement.Difference]?

    var isInOrder: Bool { error == nil && laws?.isLawful == true && tables?.isEmpty != false }

    var text: String {
        let plan = error.map { $0.description.wrappedLines } ?? laws.map { "\($0)" } ?? app
        return ([plan] + notes.map { "  note: \($0)".wrapped() } + tablesText).joined(separator: "\n")
    }

    private var tablesText: [String] {
        guard let tables else { return [] }
        if tables.isEmpty { return ["\(app): the database has the tables that the plan needs"] }
        return ["\(app): the database's tables are not what the plan needs:"]
            + tables.map { "  - \($0)".wrapped() }
            + ["  Write a migration that brings them there, or apply pending ones: ‘syncserver migrate up’."]
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("app", app)
        writer.member("problems", each: error?.problems ?? []) { writer, problem in
            writer.problem(problem.code.rawValue, problem.subject, problem.message, remedy: problem.remedy)
        }
        writer.member("notes", notes.map(\.description))
        if let tables {
            writer.member("tables", each: tables) { writer, difference in
                writer.beginObject()
                writer.member("place", difference.place)
                writer.member("message", difference.message)
                writer.endObject()
            }
        }
        if let laws {
            writer.member("cases", laws.cases)
            writer.member("violations", each: laws.violations) { writer, violation in
                writer.beginObject()
                writer.member("law", violation.law.rawValue)
                writer.member("version", "\(violation.shape)")
                writer.member("entity", violation.entity)
                writer.member("case", violation.number)
                writer.member("counterexample", violation.counterexample)
                writer.endObject()
            }
        }
        writer.endObject()
    }
}

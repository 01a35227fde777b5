import WireFormats

/// What `schema check` found out about one app.
struct SchemaCheckOutcome {
    let app: String
    /// Why the plan does not compile; `nil` where it does.
    let error: PlanError?
    /// `nil` where the plan does not compile.
    let laws: LawReport?
    /// What to know of the newest version, which its author can still do otherwise in the next.
    var notes: [PlanNote] = []

    var isInOrder: Bool { error == nil && laws?.isLawful == true }

    var text: String {
        let head = error.map { $0.description.wrappedLines } ?? laws.map { "\($0)" } ?? app
        return ([head] + notes.map { "  note: \($0)".wrapped() }).joined(separator: "\n")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("app", app)
        writer.member("problems", each: error?.problems ?? []) { writer, problem in
            writer.beginObject()
            writer.member("code", problem.code.rawValue)
            writer.member("subject", problem.subject)
            writer.member("message", problem.message)
            writer.member("remedy", problem.remedy)
            writer.endObject()
        }
        writer.member("notes", notes.map(\.description))
        if let laws {
            writer.key("cases")
            writer.int(laws.cases)
            writer.member("violations", each: laws.violations) { writer, violation in
                writer.beginObject()
                writer.key("law")
                writer.int(violation.law.rawValue)
                writer.member("version", "\(violation.shape)")
                writer.member("entity", violation.entity)
                writer.key("case")
                writer.int(violation.number)
                writer.member("counterexample", violation.counterexample)
                writer.endObject()
            }
        }
        writer.endObject()
    }
}

extension String {
    /// Each of its lines within the width of a terminal.
    fileprivate var wrappedLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).wrapped() }.joined(separator: "\n")
    }
}

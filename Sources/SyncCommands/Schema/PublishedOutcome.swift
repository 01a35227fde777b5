import PGMigrations
import WireFormats

/// What `schema check` found out about what is published.
struct PublishedOutcome {
    let problems: [FrozenProblem]
    /// What is not published yet, in words.
    let unfrozen: [String]
    /// How many versions and migrations are.
    let frozen: Int
    /// Apps whose plans do not compile, so that there is nothing to compare.
    let uncompared: [String]
    /// Where golden records were looked for in vain, though versions are frozen; `nil` where they were compared.
    let missingFixtures: String?

    /// - Parameter publication: `nil` where the lock itself is not in order.
    init(problems: [FrozenProblem], _ publication: Publication?, uncompared: [String]) {
        self.problems = problems
        self.uncompared = uncompared
        unfrozen = publication?.unfrozen ?? []
        frozen = publication?.check.lock.entries.count ?? 0
        missingFixtures = publication?.missingFixtures
    }

    /// What may still change is in order too: it is not published.
    var isInOrder: Bool { problems.isEmpty }

    var text: String {
        let but = uncompared.isEmpty ? "" : ", but for \(uncompared.joined(separator: ", ")): not compared"
        var lines = [
            "published: \(frozen) versions and migrations, \(isInOrder ? "as they were" : "not as they were")\(but)"
        ]
        lines += problems.map { "  - \($0)".wrapped() }
        if let missingFixtures {
            lines.append(
                ("  golden records were not compared: there is no folder \(missingFixtures). Check them out, or name "
                    + "the folder with ‘--fixtures’.").wrapped())
        }
        if !unfrozen.isEmpty {
            lines.append(
                "  not frozen yet: \(unfrozen.joined(separator: ", ")). ‘syncserver schema freeze’ publishes them."
                    .wrapped())
        }
        return lines.joined(separator: "\n")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("frozen", frozen)
        writer.member("unfrozen", unfrozen)
        writer.member("goldenRecordsCompared", missingFixtures == nil)
        writer.member("problems", each: problems) { writer, problem in
            writer.problem(problem.code.rawValue, problem.subject, problem.message, remedy: problem.remedy)
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// One thing that a check found wrong.
    mutating func problem(_ code: String, _ subject: String, _ message: String, remedy: String) {
        beginObject()
        member("code", code)
        member("subject", subject)
        member("message", message)
        member("remedy", remedy)
        endObject()
    }
}

import PGMigrations
import StrictJSON

/// The result of comparing the published versions and migrations with the app's sources, for `schema check`.
struct PublishedOutcome {
    let problems: [FrozenProblem]
    /// The names of the versions and migrations that are not published yet.
    let unfrozen: [String]
    /// The number of published versions and migrations.
    let frozen: Int
    /// The apps whose published versions were not checked, because their plans do not compile.
    let uncompared: [String]
    /// The folder in which golden files should be, if it does not exist although a version is published; otherwise
    /// `nil`.
    let missingFixtures: String?

    /// - Parameters:
    ///   - publication: the published state; `nil` if the lock file itself is invalid.
    ///   - uncompared: the apps whose plans do not compile, so that their published versions were not checked.
    init(problems: [FrozenProblem], _ publication: Publication?, uncompared: [String]) {
        self.problems = problems
        self.uncompared = uncompared
        unfrozen = publication?.unfrozen ?? []
        frozen = publication?.check.lock.entries.count ?? 0
        missingFixtures = publication?.missingFixtures
    }

    /// True if no problem was found. An unpublished version is not a problem.
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
    /// Writes a problem found by a check as a JSON object.
    mutating func problem(_ code: String, _ subject: String, _ message: String, remedy: String) {
        beginObject()
        member("code", code)
        member("subject", subject)
        member("message", message)
        member("remedy", remedy)
        endObject()
    }
}

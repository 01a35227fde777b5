import WireFormats

/// A change of a published version or migration, or another error in the published state. Its text names the subject
/// and the remedy.
package struct FrozenProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of problem, as a code that tests and tools can rely on.
    package let code: Code
    package let subject: String
    package let message: String
    package let remedy: String

    /// The kinds of problems, each with a code that tests and tools can rely on.
    package enum Code: String, Sendable {
        case malformedLine = "malformed-lock"
        case brokenChain = "broken-chain"
        case rewritten = "rewritten-lock"
        case editedVersion = "edited-version"
        case removedVersion = "removed-version"
        case reorderedVersion = "reordered-version"
        case lateVersion = "late-version"
        case editedMigration = "edited-migration"
        case missingMigration = "missing-migration"
        case missingFixture = "missing-fixture"
        case editedFixture = "edited-fixture"
        case staleFixture = "stale-fixture"
        case noMigrations = "no-migrations"
        case unfrozen
    }

    package var description: String { "\(subject): \(message). \(remedy) [\(code.rawValue)]" }
}

extension FrozenProblem {
    private static let restore = "Restore the file as Git has it: git checkout -- Migrations/\(SchemaLock.fileName)"

    static func malformedLine(_ number: Int) -> FrozenProblem {
        FrozenProblem(
            code: .malformedLine, subject: "\(SchemaLock.fileName), line \(number)",
            message: "this is no line that ‘schema freeze’ writes", remedy: restore)
    }

    static func brokenChain(line: Int) -> FrozenProblem {
        FrozenProblem(
            code: .brokenChain, subject: "\(SchemaLock.fileName), line \(line)",
            message: "this line, or the one before it, was edited, moved or removed", remedy: restore)
    }

    static func rewritten(_ entry: SchemaLock.Entry, base: String) -> FrozenProblem {
        FrozenProblem(
            code: .rewritten, subject: entry.subject, message: "\(base) has published this, and the lock here has not",
            remedy: "Rebase on \(base), restore its \(SchemaLock.fileName) and freeze what is new after it.")
    }

    static func edited(_ subject: String, _ changes: [String]) -> FrozenProblem {
        let shown = changes.prefix(changesShown).joined(separator: "; ")
        let rest = changes.count > changesShown ? "; and \(changes.count - changesShown) more" : ""
        return FrozenProblem(
            code: .editedVersion, subject: subject,
            message: "a published version was edited" + (shown.isEmpty ? "" : " (\(shown)\(rest))"),
            remedy: "Undo the edit and declare it as a new version (‘syncserver schema new’); if both shapes were "
                + "shipped under this number, declare the older as a historical variant.")
    }

    /// The largest number of changes that the message about an edited version shows.
    private static let changesShown = 4

    static func removed(_ subject: String) -> FrozenProblem {
        FrozenProblem(
            code: .removedVersion, subject: subject, message: "a published version is not in the plan",
            remedy: "Put it back into `schemas`: there are devices that speak it, and its number is never used again.")
    }

    static func reordered(_ subject: String) -> FrozenProblem {
        FrozenProblem(
            code: .reorderedVersion, subject: subject,
            message: "the plan has it at another place than the one at which it was published",
            remedy: "Restore its place in `schemas` or its `addedWith:`; give a new shape a number of its own.")
    }

    static func late(_ subject: String, after newest: Schema.Version) -> FrozenProblem {
        FrozenProblem(
            code: .lateVersion, subject: subject, message: "it comes before \(newest), which is published",
            remedy: "Give it a number after \(newest).")
    }

    static func editedMigration(_ path: String) -> FrozenProblem {
        FrozenProblem(
            code: .editedMigration, subject: path, message: "a published migration was edited",
            remedy: "Restore the file, and put the change into a new migration. If both texts make the same of a "
                + "database, the new one says so with ‘-- accepts: ’ and the old checksum.")
    }

    static func missingMigration(_ path: String) -> FrozenProblem {
        FrozenProblem(
            code: .missingMigration, subject: path, message: "a published migration is not on disk",
            remedy: "Restore the file.")
    }

    /// Returns the problem that the apps have no migrations.
    ///
    /// - Parameter reason: sentences that name the missing files and how to add them.
    static func noMigrations(_ apps: [String], _ reason: String) -> FrozenProblem {
        FrozenProblem(
            code: .noMigrations, subject: apps.joined(separator: ", "),
            message: "there are no migrations yet, so that nothing can be published or served", remedy: reason)
    }

    static func missingFixture(_ path: String) -> FrozenProblem {
        FrozenProblem(
            code: .missingFixture, subject: path, message: "the fixture of a published version is not there",
            remedy: "Restore the file: a fixture is made once, when its version is frozen.")
    }

    static func editedFixture(_ folder: String) -> FrozenProblem {
        FrozenProblem(
            code: .editedFixture, subject: folder, message: "a file was edited, added or removed since it was frozen",
            remedy: "Restore the folder: its files stand for builds that are out there.")
    }

    static func staleFixture(_ path: String, line: Int, _ message: String) -> FrozenProblem {
        FrozenProblem(
            code: .staleFixture, subject: "\(path):\(line)", message: message,
            remedy: "Fix the code that reads or writes this; devices that speak the version cannot be fixed.")
    }

    static func unfrozen(_ subjects: [String]) -> FrozenProblem {
        FrozenProblem(
            code: .unfrozen, subject: subjects.joined(separator: ", "),
            message: "not frozen, so that it may still change while devices speak it already",
            remedy: "Run ‘syncserver schema freeze’, or serve it for development with ‘--allow-unfrozen’.")
    }
}

import PGStore
package import Postgres

/// The reasons for which migrating stopped, each with a remedy in `description`.
package enum MigrationError: Error, Sendable {
    case unreadable(FileError)
    case badName(path: String)
    case notUTF8(path: String)
    /// The text is not valid SQL.
    case badSQL(path: String, line: Int, String)
    /// A directive, `-- key: value`, is not valid.
    case badDirective(path: String, line: Int, String)
    case duplicateNumber(first: String, second: String)
    case gap(path: String, expected: Int)
    /// An applied file was edited.
    case changed(path: String)
    /// The ledger knows a migration that is not on disk.
    case missing(path: String)
    /// A file was added with a lower number than one that is already applied.
    case outOfOrder(path: String)
    /// A step changes rows of an app and does not state the effect on devices.
    case undeclared(path: String, line: Int)
    /// A step changes records in another way than it states, or in a way that cannot be sent to devices.
    case misdeclared(path: String, line: Int?, String)
    /// A server cannot start: migrations that it knows are not applied yet, or the ledger disagrees with the server's
    /// files. `path` is the first such migration, and `count` is the number of such migrations.
    case notServable(path: String, MigrationStatus.State, count: Int)
    /// A server cannot start or continue, because tables or columns that it needs were removed. `level` is the number
    /// of the last migration that the server knows. `floor` is the lowest number that a server must know to be able to
    /// serve.
    case contracted(line: String, level: Int, floor: Int)
    /// `up(to:)` names a migration that is not on disk.
    case noSuchTarget(MigrationID)
    /// PostgreSQL refused a statement of the file. `line` is the line of the error, if PostgreSQL reported one. A step
    /// that runs in one transaction has then changed nothing. Any other step keeps its earlier changes.
    case failed(path: String, line: Int?, PGError)
    /// A query of a verify step returned `count` rows; `first` is the text of the first one.
    case unverified(path: String, line: Int, count: Int, first: String)
    /// An index was built, but is invalid.
    case invalidIndex(path: String, line: Int, name: String)
    /// The file ended the transaction in which it runs. Changes before that were kept.
    case endsTransaction(path: String)
    /// A resolution by an operator does not fit the state of the migration.
    case unresolvable(path: String, String)
    /// The login may not create a database for a comparison or a rehearsal.
    case noScratchDatabase(login: String)
    /// Nothing was copied, or only a part; the text says why, and names the remedy.
    case notCopied(String)
    /// A step makes tables unreadable for servers that are at work, although it is not a contract step, which would
    /// wait for them to end.
    case unreadableTables(path: String, line: Int, String)
    /// Every attempt met a lock of another session.
    case blocked(path: String, attempts: Int, by: [Blocker])
    /// Another migration run held the lock for longer than this run may wait.
    case busy(holders: [Int])
    /// Spaces are being moved to or from the database. A migration would break their replication.
    case moving
    /// A connection pooler between this process and PostgreSQL gives each transaction another session.
    case pooled
    /// The database cannot store everything that devices send, or its settings change the meaning of statements. The
    /// text names the remedy.
    case unfit(String)
    /// The login may not migrate, because it does not own the tables; the text names the remedy.
    case notOwner(String)
    /// Connecting, locking or reading the ledger failed.
    case database(PGError)
    case cancelled
}

extension MigrationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .badName(let path):
            "\(path): the name is not of the form NNNN-verb-noun.sql (four digits, then lower-case words). Rename it."
        case .notUTF8(let path): "\(path): the text is not UTF-8. Save it as UTF-8."
        case .badSQL(let path, let line, let problem): "\(path):\(line): \(problem). Correct the file and run again."
        case .badDirective(let path, let line, let problem): "\(path):\(line): \(problem)"
        case .duplicateNumber(let first, let second):
            "\(first) and \(second) have the same number. Give the newer one the next free number."
        case .gap(let path, let expected):
            "\(path): the number before it is missing; expected \(expected). "
                + "Restore the missing file, or renumber this one."
        case .changed(let path):
            "\(path): the file has changed since it was applied. Restore it, and put the change into a new migration; "
                + "or, where both texts make the same of a database, say so in it: ‘-- accepts: ’ and the old checksum."
        case .missing(let path):
            "\(path): applied to this database, but not on disk. Use the release that has it, or restore the file."
        case .outOfOrder(let path):
            "\(path): a later migration is applied already. Renumber this one to come after it."
        case .undeclared(let path, let line):
            "\(path):\(line): the statement changes rows, and the file does not say what devices learn of it. Write "
                + "‘-- sync: silent’ (nothing) or ‘-- sync: republish(Entity)’ (all of them, anew)."
        case .misdeclared(let path, let line, let problem):
            "\(path)\(line.map { ":\($0)" } ?? ""): \(problem). Nothing of that was kept: correct the file and run "
                + "again."
        case .notServable(let path, let state, let count):
            "The database and the migration files disagree: \(count) not in order, first \(path) (\(state.name)). "
                + "Look with ‘syncserver migrate status’, apply with ‘syncserver migrate up’."
        case .contracted(let line, let level, let floor):
            "This release ends with \(line)/\(level), and the database no longer has what it needs since "
                + "\(line)/\(floor) was finished. Start a release that has it."
        case .noSuchTarget(let id): "There is no migration \(id.number) in the line \(id.line)."
        case .failed(let path, let line, let error):
            "\(path)\(line.map { ":\($0)" } ?? ""): \(error.report.map { "\($0.message)." } ?? error.description) "
                + "See ‘syncserver migrate status’ for how far it came; "
                + (error.report?.sqlState == "42501"
                    ? "the file is right, and the login may not do that: it must own the database, and the first file "
                        + "makes a role. Say as an administrator: ALTER ROLE the-login CREATEROLE; then run again."
                    : "correct the file and run again.")
        case .unverified(let path, let line, let count, let first):
            "\(path):\(line): the query must return no row, and returned \(count)"
                + "\(count == Migrator.verifyRowsMax ? " or more" : ""), first \(first). "
                + (count == 1
                    ? "A query without GROUP BY that counts or sums up always returns a row: let HAVING say when it is "
                        + "wrong. Otherwise correct" : "Correct")
                + " the rows, or the step before, and run again."
        case .invalidIndex(let path, let line, let name):
            "\(path):\(line): the index \(name) is there and invalid. Run again, which builds it anew; if that does "
                + "not help, its rows violate it."
        case .endsTransaction(let path):
            "\(path): the file contains COMMIT or ROLLBACK, so it was not applied as a whole. "
                + "Remove them, undo by hand what was kept, and run again."
        case .blocked(let path, let attempts, let blockers):
            "\(path): could not get its locks in \(attempts) attempts."
                + (blockers.isEmpty ? "" : " In the way: \(blockers.map(\.description).joined(separator: "; ")).")
                + " Run again when they are gone. Nothing of this step was applied."
        case .unreadableTables(let path, let line, let obstacle):
            "\(path):\(line): \(obstacle). Stop them, run this, and start the new ones: between the two nothing is "
                + "served. Nothing was run."
        case .unresolvable(let path, let reason): "\(path): \(reason)"
        case .noScratchDatabase(let login):
            "The files are run in a database of their own on the same server, which is dropped afterwards, and this "
                + "login may not create one. Give it the right for the time: ALTER ROLE \(login) CREATEDB; or use a "
                + "login that has it."
        case .notCopied(let reason): reason
        case .busy(let holders):
            "Another migration run holds the lock (server process "
                + "\(holders.map(String.init).joined(separator: ", "))). Run again when it is done."
        case .moving:
            "Spaces are being moved to or from this database, and its tables may not change meanwhile. End the move "
                + "first: ‘syncserver database move --resume’, or ‘--undo’. Nothing was run."
        case .pooled:
            "The connection string leads to a pooler that gives each transaction another session, where neither "
                + "locks nor prepared statements last. Give one that leads to PostgreSQL itself, or to a pool in "
                + "session mode."
        case .unfit(let advice): advice
        case .notOwner(let advice): advice
        case .database(let error): error.debugDescription
        case .cancelled: "Stopped before the end; run again to go on."
        }
    }
}

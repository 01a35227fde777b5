/// Why migrating stopped, with what to do about it in `description`.
package enum MigrationError: Error, Sendable {
    case unreadable(FileError)
    case badName(path: String)
    case notUTF8(path: String)
    case duplicateNumber(first: String, second: String)
    case gap(path: String, expected: Int)
    /// An applied file was edited.
    case changed(path: String)
    /// The ledger knows a migration that is not on disk.
    case missing(path: String)
    /// A file came in below one that is applied already.
    case outOfOrder(path: String)
    /// `up(to:)` names a migration that is not on disk.
    case noSuchTarget(MigrationID)
    /// The server refused the file, at this line of it if it said so. Nothing of the file was kept.
    case failed(path: String, line: Int?, PGError)
    /// The file ended the transaction that it runs in. What it did before that was kept.
    case endsTransaction(path: String)
    /// Every attempt ran into somebody's lock.
    case blocked(path: String, attempts: Int, by: [Blocker])
    /// Another runner held the lock all the time that we were willing to wait.
    case busy(holders: [Int])
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
        case .duplicateNumber(let first, let second):
            "\(first) and \(second) have the same number. Give the newer one the next free number."
        case .gap(let path, let expected):
            "\(path): the number before it is missing; expected \(expected). "
                + "Restore the missing file, or renumber this one."
        case .changed(let path):
            "\(path): the file has changed since it was applied. Restore it, and put the change into a new migration."
        case .missing(let path):
            "\(path): applied to this database, but not on disk. Use the release that has it, or restore the file."
        case .outOfOrder(let path):
            "\(path): a later migration is applied already. Renumber this one to come after it."
        case .noSuchTarget(let id): "There is no migration \(id.number) in the line \(id.line)."
        case .failed(let path, let line, let error):
            "\(path)\(line.map { ":\($0)" } ?? ""): \(error.report?.message ?? error.description) "
                + "Nothing of it was applied. Correct the file and run again."
        case .endsTransaction(let path):
            "\(path): the file contains COMMIT or ROLLBACK, so it was not applied as a whole. "
                + "Remove them, undo by hand what was kept, and run again."
        case .blocked(let path, let attempts, let blockers):
            "\(path): could not get its locks in \(attempts) attempts."
                + (blockers.isEmpty ? "" : " In the way: \(blockers.map(\.description).joined(separator: "; ")).")
                + " Run again when they are gone. Nothing of it was applied."
        case .busy(let holders):
            "Another migration run holds the lock (server process "
                + "\(holders.map(String.init).joined(separator: ", "))). Run again when it is done."
        case .database(let error): error.debugDescription
        case .cancelled: "Cancelled."
        }
    }
}

import Foundation

/// A lock file of the base branch, into which the current branch will be merged. The current lock file is compared with
/// it, because its chain of hashes does not show if somebody has rewritten the whole file.
package struct TrunkLock {
    /// The name of the commit or branch from which the lock file was read.
    package let name: String
    package let lock: SchemaLock

    /// Finds the lock files with which the current one is compared. On a branch, this is the lock file of the commit
    /// where the branch left its base branch. On the base branch, these are the lock files of the last commit and of
    /// the commit before it. Empty if there is no Git, no repository, no base branch, or no lock file there yet.
    ///
    /// - Throws: `FrozenProblem` if such a lock file is invalid.
    package static func find(lock path: String) throws(FrozenProblem) -> [TrunkLock] {
        let git = Git(folder: URL(filePath: path).deletingLastPathComponent().path)
        guard let head = git.output("rev-parse", "HEAD") else { return [] }
        let names = ["origin/HEAD", "origin/main", "origin/master", "main", "master"]
        guard let base = names.first(where: { git.output("rev-parse", "--verify", "--quiet", $0) != nil }),
            let fork = git.output("merge-base", "HEAD", base)
        else { return [] }
        let commits = fork == head ? ["HEAD", "HEAD^"] : [fork]
        var found: [TrunkLock] = []
        for commit in commits {
            guard let text = git.output("show", "\(commit):./\(SchemaLock.fileName)") else { continue }
            found.append(TrunkLock(name: fork == head ? commit : base, lock: try SchemaLock(parsing: text)))
        }
        return found
    }
}

/// Runs Git, if it is installed.
private struct Git {
    let folder: String

    /// Runs Git and returns its output without the final line feeds; `nil` if Git fails.
    func output(_ arguments: String...) -> String? {
        let run = try? ProcessOutput.of("/usr/bin/env", ["git", "-C", folder] + arguments)
        guard let (status, bytes, _) = run, status == 0 else { return nil }
        return String(validating: bytes, as: UTF8.self)?.trimmingCharacters(in: .newlines)
    }
}

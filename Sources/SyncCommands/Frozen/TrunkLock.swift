import Foundation

/// A lock of the branch that the current branch will be merged into. It is compared, because a lock that agrees with
/// itself may still have been rewritten as a whole.
package struct TrunkLock {
    /// The name of the commit or branch.
    package let name: String
    package let lock: SchemaLock

    /// The locks to compare with: on a branch, the one at the commit where the branch left its base; on the base
    /// itself, those of the last commit and of the one before. Empty if there is no Git, no repository, no base, or no
    /// lock there yet.
    ///
    /// - Throws: `FrozenProblem` if such a lock is invalid.
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

    /// The output of Git, without the last line's end; `nil` if Git fails.
    func output(_ arguments: String...) -> String? {
        let run = try? ProcessOutput.of("/usr/bin/env", ["git", "-C", folder] + arguments)
        guard let (status, bytes, _) = run, status == 0 else { return nil }
        return String(validating: bytes, as: UTF8.self)?.trimmingCharacters(in: .newlines)
    }
}

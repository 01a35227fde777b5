import Foundation

/// What the branch that ours will be merged into has published: a lock that agrees with itself may still have been
/// rewritten as a whole.
package struct TrunkLock {
    /// The commit, in words.
    package let name: String
    package let lock: SchemaLock

    /// The lock at the commit in which our branch left its base; on the base itself at the last commit and the one
    /// before. Empty where there is no Git, no repository, no base, or no lock there yet.
    ///
    /// - Throws: `FrozenProblem` where such a lock is not in order.
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

/// Asks Git, if there is one.
private struct Git {
    let folder: String

    /// What it says, without the last line's end; `nil` where it fails.
    func output(_ arguments: String...) -> String? {
        let run = try? ProcessOutput.of("/usr/bin/env", ["git", "-C", folder] + arguments)
        guard let (status, bytes, _) = run, status == 0 else { return nil }
        return String(validating: bytes, as: UTF8.self)?.trimmingCharacters(in: .newlines)
    }
}

internal import CRelease

/// Which release this is, and what it was tried with.
enum ProgramRelease {
    /// By the rule of CHANGELOG.md.
    static let version = "0.1.0"
    /// Of the version, as CHANGELOG.md has it.
    static let date = "2026-11-23"
    /// The first part of every path: see docs/protocol.md.
    static let protocolName = "v1"
    /// The major versions that tests run on: Debian's, and those of script/postgres-matrix.
    static let postgresVersions = [15, 17, 18]

    /// What `SYNCSERVER_COMMIT` said when this was built. A build cannot find out by itself: it would go on naming the
    /// commit at which its manifest was last read.
    static var commit: String? {
        let commit = String(cString: release_commit())
        return commit.isEmpty ? nil : commit
    }

    /// What `--version` prints.
    static func description(of program: String) -> String {
        let tested = postgresVersions.map(String.init)
        let list = tested.dropLast().joined(separator: ", ") + " and " + (tested.last ?? "")
        return """
            \(program) \(version) (\(commit.map { "commit \($0)" } ?? "development build, commit not recorded"))
            protocol \(protocolName)
            PostgreSQL \(tested[0]) or newer; tested with \(list)
            """
    }
}

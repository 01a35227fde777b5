internal import CRelease

/// The release of this program, and the versions of PostgreSQL that it was tested with.
enum ProgramRelease {
    /// The version's number, by the rule of CHANGELOG.md.
    static let version = "0.1.0"
    /// The date of the version, as in CHANGELOG.md.
    static let date = "2026-11-23"
    /// The version of the protocol, which is the first part of every path: see docs/protocol.md.
    static let protocolName = "v1"
    /// The major versions of PostgreSQL that tests run on: Debian's, and those of script/full.d/postgres-matrix.
    static let postgresVersions = [15, 17, 18]

    /// The commit that was built, as `SYNCSERVER_COMMIT` named it at build time. A build cannot find out by itself: it
    /// would go on naming the commit at which its manifest was last read.
    static var commit: String? {
        let commit = String(cString: release_commit())
        return commit.isEmpty ? nil : commit
    }

    /// The output of `--version`.
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

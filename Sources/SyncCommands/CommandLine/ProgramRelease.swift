internal import CRelease

/// The release of this program, and the versions of PostgreSQL with which it was tested.
enum ProgramRelease {
    /// The version number, assigned by the rule in CHANGELOG.md.
    static let version = "0.1.0"
    /// The date of the version, as in CHANGELOG.md.
    static let date = "2026-11-23"
    /// The version of the protocol, which is the first part of every path: see docs/protocol.md.
    static let protocolName = "v1"
    /// The major versions of PostgreSQL on which the tests run: that of Debian 12, and those of
    /// script/full.d/postgres-matrix.
    static let postgresVersions = [15, 17, 18]

    /// The commit from which the program was built, taken from the variable `SYNCSERVER_COMMIT` at build time; `nil` if
    /// it was not set. The package's manifest does not ask Git for the commit, because SwiftPM would keep the answer
    /// for builds of later commits.
    static var commit: String? {
        let commit = String(cString: release_commit())
        return commit.isEmpty ? nil : commit
    }

    /// Returns the output of `--version`.
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

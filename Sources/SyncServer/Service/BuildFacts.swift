/// The version and commit of this program, reported at its start and in its metrics.
package struct BuildFacts: Sendable {
    /// The version number, as CHANGELOG.md defines it; empty if unknown.
    package let version: String
    /// The commit of the sources; empty for a development build.
    package let commit: String

    package init(version: String = "", commit: String = "") { (self.version, self.commit) = (version, commit) }
}

/// Which program serves: it says so when it starts and in its metrics.
package struct BuildFacts: Sendable {
    /// By the rule of CHANGELOG.md; empty where nobody said.
    package let version: String
    /// Of the sources; empty for a development build.
    package let commit: String

    package init(version: String = "", commit: String = "") { (self.version, self.commit) = (version, commit) }
}

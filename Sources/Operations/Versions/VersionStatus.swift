package import PGStore
package import WireFormats

/// The lifecycle state of a version, and its use.
package struct VersionStatus: Sendable {
    package let use: CensusReport.Line
    package let lifecycle: VersionLives.Row
}

/// The result of an operation on a version.
package struct VersionChange: Sendable {
    /// The lifecycle state of the version after the operation.
    package let lifecycle: VersionLives.Row
    /// The change in words, as the audit log has it.
    package let detail: String
}

/// An action of an operator on a version.
package struct VersionEvent: Sendable, Hashable {
    package let at: Timestamp
    /// The database login of the operator.
    package let by: String
    package let version: String
    /// One of `deprecate`, `retire` and `restore`.
    package let action: String
    /// True if the version was retired although devices still used it.
    package let isForced: Bool
    package let detail: String
}

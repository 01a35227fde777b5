package import PGStore
package import WireFormats

/// The lifecycle state of a version (deprecated, retired), and the number of devices that use it.
package struct VersionStatus: Sendable {
    package let use: CensusReport.Line
    package let lifecycle: VersionStates.Row
}

/// The result of deprecating, retiring or restoring a version.
package struct VersionChange: Sendable {
    /// The lifecycle state of the version after the operation.
    package let lifecycle: VersionStates.Row
    /// The description of the change that was written to the audit log.
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

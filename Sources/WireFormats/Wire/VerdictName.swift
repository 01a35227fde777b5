package import StrictJSON

/// The verdicts on changes: docs/protocol.md, *Verdicts*.
package enum VerdictName: String, CaseIterable, Sendable {
    case applied
    /// Some attributes hold another edit; the rest of the change took effect.
    case merged
    /// Nothing of the change took effect.
    case superseded
    /// The server had all of the change already.
    case unchanged
    /// The change is at fault, as a `RejectionCode` says.
    case rejected
    /// A fault of the server keeps the change from being merged now, as a `HoldCode` says.
    case held
}

/// The codes of held changes: docs/protocol.md, *Verdicts*.
package enum HoldCode: String, CaseIterable, Sendable {
    /// A conversion of the plan cannot translate a value.
    case lensFailed = "lens-failed"
    /// PostgreSQL refuses the change, though the plan allows it.
    case databaseRefused = "database-refused"
    /// The record's creation is held.
    case behindHeld = "behind-held"
    /// The change was held, and in its replay it is faulty or cannot be merged. Never sent to a device.
    case rejected

    /// The codes that a push may be answered with.
    package static let ofVerdicts = allCases.filter { $0 != .rejected }
}

/// The operations of changes, and of records in a page: docs/protocol.md, *Push* and *Pull*.
package enum ChangeOperation: String, CaseIterable, Sendable {
    case create
    case update
    case delete
}

/// The values of `BodyMember.intent`: docs/protocol.md, *Push*.
package enum PushIntent {
    /// The push means to delete however much it deletes.
    package static let massDeletion: JSONKey = "mass-deletion"
}

/// The states of versions in the answer about an app: docs/protocol.md, *Versions that end*.
package enum VersionStatus: String, CaseIterable, Sendable {
    /// The newest version.
    case current
    case supported
    /// The version works as before, and is to end.
    case deprecated
    /// Requests that state the version are refused; changes that were written in it are taken.
    case retired
    /// Changes that were written in the version are refused, too.
    case closed
}

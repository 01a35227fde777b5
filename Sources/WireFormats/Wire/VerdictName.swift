package import StrictJSON

/// The verdicts on changes: docs/protocol.md, *Verdicts*.
package enum VerdictName: String, CaseIterable, Sendable {
    case applied
    /// For some attributes another edit won; the rest of the change took effect.
    case merged
    /// Nothing of the change took effect, because other edits win or the record is deleted.
    case superseded
    /// The server had everything in the change already.
    case unchanged
    /// The change is faulty and was not accepted. Its `RejectionCode` is the reason.
    case rejected
    /// The change is in quarantine: a fault of the server keeps it from being merged now. Its `HoldCode` is the reason.
    case held
}

/// The reasons why a change is in quarantine: docs/protocol.md, *Verdicts*.
package enum HoldCode: String, CaseIterable, Sendable {
    /// A conversion of the plan cannot translate a value.
    case lensFailed = "lens-failed"
    /// PostgreSQL refuses the change, though the plan allows it.
    case databaseRefused = "database-refused"
    /// The change belongs to a record whose creation is in quarantine.
    case behindHeld = "behind-held"
    /// The change was in quarantine. When it was tried again, it proved faulty or could not be merged. This code is
    /// never sent to a device.
    case rejected

    /// The codes that the response to a push may contain.
    package static let ofVerdicts = allCases.filter { $0 != .rejected }
}

/// The operations of the changes in a push, and of the records in a page of a pull: docs/protocol.md, *Push* and
/// *Pull*.
package enum ChangeOperation: String, CaseIterable, Sendable {
    case create
    case update
    case delete
}

/// The values of the push member `BodyMember.intent`, which confirms an unusual push: docs/protocol.md, *Push*.
package enum PushIntent {
    /// All deletions in the push are intended, however many there are.
    package static let massDeletion: JSONKey = "mass-deletion"
}

/// The states of a version in the response that describes an app: docs/protocol.md, *Versions that end*.
package enum VersionStatus: String, CaseIterable, Sendable {
    /// The newest version.
    case current
    case supported
    /// The version works as before, but is to be retired.
    case deprecated
    /// Requests that state the version are refused. Changes that were written in it are still accepted.
    case retired
    /// Requests that state the version are refused, and changes that were written in it are refused too.
    case closed
}

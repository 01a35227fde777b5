package import StrictJSON

/// The names of the members of request and response bodies, grouped by the sections of docs/protocol.md.
///
/// They are `JSONKey`s, which are compared by their bytes when read, and written from prepared bytes.
package enum BodyMember {
    // Changes, and records of pages: *Push* and *Pull*.
    package static let entity: JSONKey = "entity"
    package static let id: JSONKey = "id"
    package static let operation: JSONKey = "op"
    package static let stamp: JSONKey = "stamp"
    package static let version: JSONKey = "version"
    package static let fields: JSONKey = "fields"
    package static let increments: JSONKey = "increments"
    package static let seq: JSONKey = "seq"
    package static let created: JSONKey = "created"
    package static let deleted: JSONKey = "deleted"
    package static let stamps: JSONKey = "stamps"
    package static let absent: JSONKey = "absent"

    // Requests: *Push* and *Sync*.
    package static let changes: JSONKey = "changes"
    package static let cursor: JSONKey = "cursor"
    package static let intent: JSONKey = "intent"
    package static let limit: JSONKey = "limit"

    // Answers: *Push*, *Verdicts* and *Pull*.
    package static let applied: JSONKey = "applied"
    package static let results: JSONKey = "results"
    package static let index: JSONKey = "index"
    package static let verdict: JSONKey = "verdict"
    package static let kept: JSONKey = "kept"
    package static let code: JSONKey = "code"
    package static let detail: JSONKey = "detail"
    package static let holder: JSONKey = "holder"
    package static let children: JSONKey = "children"
    package static let serverTime: JSONKey = "serverTime"
    package static let more: JSONKey = "more"

    // Problems, and what they say beside their code: *Problems*, *Versions that end* and *Quotas*.
    package static let title: JSONKey = "title"
    package static let known: JSONKey = "known"
    package static let current: JSONKey = "current"
    package static let outboxUntil: JSONKey = "outboxUntil"
    package static let link: JSONKey = "link"
    package static let quota: JSONKey = "quota"
    package static let held: JSONKey = "held"
    package static let most: JSONKey = "most"
    package static let spaces: JSONKey = "spaces"

    // Apps and their versions: *Requests* and *Versions that end*.
    package static let app: JSONKey = "app"
    package static let apps: JSONKey = "apps"
    package static let baseline: JSONKey = "baseline"
    package static let versions: JSONKey = "versions"
    package static let variants: JSONKey = "variants"
    package static let fingerprint: JSONKey = "fingerprint"
    package static let variantOf: JSONKey = "variantOf"
    package static let status: JSONKey = "status"
    package static let deprecated: JSONKey = "deprecated"
    package static let sunset: JSONKey = "sunset"
    package static let retired: JSONKey = "retired"

    // Spaces and who is in them: *Members* and *Erasing*.
    package static let space: JSONKey = "space"
    package static let role: JSONKey = "role"
    package static let personal: JSONKey = "personal"
    package static let members: JSONKey = "members"
    package static let since: JSONKey = "since"
    package static let subject: JSONKey = "subject"
    package static let you: JSONKey = "you"
    package static let invitation: JSONKey = "invitation"
    package static let invitations: JSONKey = "invitations"
    package static let lifetime: JSONKey = "lifetime"
    package static let madeBy: JSONKey = "madeBy"
    package static let made: JSONKey = "made"
    package static let expires: JSONKey = "expires"
    package static let secret: JSONKey = "secret"
    package static let rows: JSONKey = "rows"
    package static let total: JSONKey = "total"
}

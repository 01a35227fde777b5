package import WireFormats

/// A device as an app has it: a store of whole records in its version's shape, an outbox, and a cursor.
///
/// It does what a good client does and no more: it makes its edits locally, sends them, adopts the cursor that it is
/// given, and replaces its records by what it pulls. Where its cursor has expired, it takes a snapshot: what it holds
/// clean and is not told of, no longer exists.
package actor TestDevice {
    /// By entity, then by id.
    package typealias Store = [String: [String: [String: JSONValue]]]

    package nonisolated let version: String
    package nonisolated let id: ID?
    package private(set) var store: Store = [:]
    /// What was made here and not yet acknowledged.
    package private(set) var outbox: [JSONValue] = []
    package private(set) var cursor: String?
    /// The latest stamp that it was told; a good device's next edit is later (a hybrid logical clock).
    package private(set) var latestSeen: Int64 = 0

    /// When it knows things to have been said; what a server that was restored has forgotten is offered with these.
    private var stamps: [Key: RecordStamps] = [:]

    private var isOffering = true

    /// While a snapshot is taken: what it held clean when that began, and was neither told of nor edited since.
    private var unconfirmed: Set<Key>?

    /// What a record is known by in one version.
    package struct Key: Hashable, Sendable {
        let entity: String
        let id: String
    }

    private let client: any Requesting
    private let path: String
    private let headers: [String]
    private let plan: Plan
    private let place: Int

    package init(
        client: any Requesting, path: String, token: String, plan: Plan, version: String, id: ID?, mode: String? = nil
    ) {
        self.client = client
        self.path = path
        self.version = version
        self.id = id
        self.plan = plan
        guard let place = ShapeName(version).flatMap({ plan.index(of: $0) }) else {
            preconditionFailure("\(plan.app) has no version \(version)")
        }
        self.place = place
        var headers = [
            "Authorization: Bearer \(token)", "Schema-Version: \(version)", "Content-Type: application/json",
        ]
        if let id { headers.append("Device-Id: \(id)") }
        if let mode { headers.append("Change-Mode: \(mode)") }
        self.headers = headers
    }

    /// An answer that was not 200.
    package struct Refused: Error, CustomStringConvertible {
        package let reply: TestReply
        package var description: String { reply.description }
    }

    /// Makes changes here, to be pushed later.
    package func make(_ changes: [JSONValue]) {
        for change in changes { apply(change) }
        outbox += changes
    }

    /// Makes changes here and pushes everything that is in the outbox. What fails stays there.
    @discardableResult
    package func push(_ changes: [JSONValue] = []) async throws -> PushAnswer {
        make(changes)
        let sent = outbox
        let answer = try await send(sent, cursor: cursor)
        outbox.removeFirst(sent.count)
        for (change, verdict) in zip(sent, answer.verdicts) where verdict == "superseded" { doubt(change) }
        cursor = answer.cursor
        return answer
    }

    /// Pushes changes and looks at nothing: as if the answer had been lost.
    @discardableResult
    package func send(
        _ changes: [JSONValue], cursor: String? = nil, intent: String? = nil
    ) async throws -> PushAnswer {
        var body: [String: JSONValue] = ["changes": .array(changes)]
        if let intent { body["intent"] = .string(intent) }
        if let cursor { body["cursor"] = .string(cursor) }
        let reply = try await client.request("POST", path, headers: headers, body: JSONValue.object(body).bytes)
        guard reply.status == 200 else { throw Refused(reply: reply) }
        return PushAnswer(reply, count: changes.count)
    }

    /// Pulls one page and adopts it.
    @discardableResult
    package func pullPage(limit: Int? = nil) async throws -> Page {
        var query: [String] = []
        if let cursor { query.append("cursor=\(cursor)") }
        if let limit { query.append("limit=\(limit)") }
        query.append("stamps=true")
        let target = "\(path)?\(query.joined(separator: "&"))"
        let reply = try await client.request("GET", target, headers: headers)
        guard reply.status == 200 else { throw Refused(reply: reply) }
        let page = Page(reply)
        for change in page.changes { adopt(change) }
        cursor = page.cursor
        if !page.more { endSnapshot() }
        return page
    }

    /// Pulls until there is no more, and returns everything that came.
    @discardableResult
    package func pullAll(limit: Int? = nil) async throws -> [JSONValue] {
        var all: [JSONValue] = []
        while true {
            let page = try await pullPage(limit: limit)
            all += page.changes
            if !page.more { return all }
        }
    }

    /// Pushes the outbox and pulls to the end; with a snapshot, where the cursor has expired, and with an offer of
    /// everything that the server has forgotten, where it was restored.
    package func sync(limit: Int? = nil) async throws {
        while true {
            do {
                if !outbox.isEmpty { try await patiently { try await push() } }
                try await patiently { try await pullAll(limit: limit) }
                return
            } catch let refused as Refused where refused.reply.isProblem(410, "cursor-expired") {
                beginSnapshot()
            } catch let refused as Refused where refused.reply.isProblem(410, "epoch-changed") {
                try await beginAnew(limit: limit)
            }
        }
    }

    /// Again, as long as the server is busy, or notices in one session after the other that its database went away.
    private func patiently(_ work: () async throws -> Void) async throws {
        for _ in 1...20 {
            do {
                return try await work()
            } catch let refused as Refused where refused.reply.status == 503 {}
        }
        try await work()
    }

    /// A device that is wrong: it tells a restored server nothing of what that has forgotten.
    package func forgetToOffer() {
        isOffering = false
    }

    /// Reads what the restored server has, offers what this device knows better, and begins with what stands then. The
    /// edits that were in the outbox go with it.
    private func beginAnew(limit: Int?) async throws {
        let (known, knownStamps, unsent) = (store, stamps, outbox)
        (outbox, cursor) = ([], nil)
        loseRecords()
        try await patiently { try await pullAll(limit: limit) }
        for (key, said) in knownStamps where isOffering {
            outbox += said.offers(
                known[key.entity]?[key.id], beyond: stamps[key].map { (store[key.entity]?[key.id], $0) }
            ).map { $0.addressed(to: key) }
        }
        let offered = outbox + unsent
        try await patiently { try await send(offered, intent: "mass-deletion") }
        (outbox, cursor) = ([], nil)
        loseRecords()
        try await patiently { try await pullAll(limit: limit) }
    }

    private func loseRecords() {
        (store, stamps, unconfirmed) = ([:], [:], nil)
    }

    /// Drops the cursor. Until the last page has come, what is neither told of nor edited is not known to exist.
    package func beginSnapshot() {
        cursor = nil
        unconfirmed = Set(store.flatMap { entity, records in records.keys.map { Key(entity: entity, id: $0) } })
        for change in outbox { confirm(change) }
    }

    private func endSnapshot() {
        for key in unconfirmed ?? [] { store[key.entity]?[key.id] = nil }
        unconfirmed = nil
    }

    private func confirm(_ change: JSONValue) {
        guard unconfirmed != nil, let entity = change["entity"].string, let id = change["id"].string else { return }
        unconfirmed?.remove(Key(entity: entity, id: id))
    }

    /// The edit was in vain, perhaps because the record is dead: it must be told of to stay.
    private func doubt(_ change: JSONValue) {
        guard let entity = change["entity"].string, let id = change["id"].string, store[entity]?[id] != nil,
            !outbox.contains(where: { $0["entity"].string == entity && $0["id"].string == id })
        else { return }
        unconfirmed?.insert(Key(entity: entity, id: id))
    }

    /// Forgets everything but who it is.
    package func loseStore() {
        store = [:]
        stamps = [:]
        outbox = []
        cursor = nil
        unconfirmed = nil
    }

    /// When something was said of each record that it holds or knows to be deleted, by id.
    package var known: [String: Set<Int64>] {
        stamps.reduce(into: [:]) { $0[$1.key.id, default: []].formUnion($1.value.all) }
    }

    package func use(cursor: String?) {
        self.cursor = cursor
    }

    /// Begins with what another version of the app left on this device.
    package func take(over store: Store, cursor: String?) {
        self.store = store
        self.cursor = cursor
    }

    /// One attribute; `nil` where the record is not there.
    package func value(_ entity: String, _ id: ID, _ name: String) -> JSONValue? {
        store[entity]?[id.description]?[name]
    }

    package func holds(_ entity: String, _ id: ID) -> Bool {
        store[entity]?[id.description] != nil
    }

    private func apply(_ change: JSONValue) {
        confirm(change)
        if let entity = change["entity"].string, let id = change["id"].string {
            stamps[Key(entity: entity, id: id), default: RecordStamps()].make(change)
        }
        guard let entity = change["entity"].string, let id = change["id"].string,
            let projection = plan.projection(version: place, named: entity)
        else { return }
        switch change["op"] {
        case "create":
            var record = store[entity]?[id] ?? defaults(projection)
            record.merge(change["fields"].members) { $1 }
            store[entity, default: [:]][id] = record
        case "update":
            store[entity]?[id]?.merge(change["fields"].members) { $1 }
        default:
            store[entity]?[id] = nil
        }
        for (name, amount) in change["increments"].members {
            let held = store[entity]?[id]?[name]?.int ?? 0
            store[entity]?[id]?[name] = .int(held + (amount.int ?? 0))
        }
    }

    /// What the app's models start with, but for what depends on the record.
    private func defaults(_ projection: Projection) -> [String: JSONValue] {
        var record: [String: JSONValue] = [:]
        for (field, value) in zip(projection.fields, projection.assumed([])) {
            if let value { record[field.name] = JSONValue(value) }
        }
        return record
    }

    private func adopt(_ change: JSONValue) {
        latestSeen = max(latestSeen, change["stamp"].int ?? 0)
        confirm(change)
        guard let entity = change["entity"].string, let id = change["id"].string else { return }
        stamps[Key(entity: entity, id: id)] = RecordStamps(told: change)
        store[entity, default: [:]][id] = change["op"] == "delete" ? nil : change["fields"].members
    }
}

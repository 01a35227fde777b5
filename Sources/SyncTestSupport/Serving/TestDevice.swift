import StrictJSON
package import WireFormats

/// A device with the data of an app, for tests: the records in the form of its version, an outbox, and a cursor.
///
/// It does only what a correct client does. It applies its edits locally, sends them, stores the cursor of each answer,
/// and replaces its records by those that it pulls. If its cursor has expired, it takes a snapshot (a pull from the
/// beginning). Records that the snapshot does not contain and that have no local edits no longer exist.
package actor TestDevice {
    /// The records: values by entity name, then by record id, then by attribute name.
    package typealias Store = [String: [String: [String: JSONValue]]]

    package nonisolated let version: String
    package nonisolated let id: ID?
    package private(set) var store: Store = [:]
    /// The changes made on this device that the server has not answered yet.
    package private(set) var outbox: [JSONValue] = []
    package private(set) var cursor: String?
    /// The latest stamp that the device has received. A correct device gives its next edit a later stamp (a hybrid
    /// logical clock).
    package private(set) var latestSeen: Int64 = 0

    /// The stamps of the device's records. With them, the device can send lost values again to a server that was
    /// restored.
    private var stamps: [Key: RecordStamps] = [:]

    private var isOffering = true

    /// The records that the device had when a snapshot (a pull from the beginning) began, and that have been neither
    /// received nor edited since; `nil` while no snapshot is under way.
    private var unconfirmed: Set<Key>?

    /// The identity of a record in one version: its entity's name and its id.
    package struct Key: Hashable, Sendable {
        let entity: String
        let id: String
    }

    private let client: any Requesting
    private let path: String
    private let headers: [String]
    private let plan: Plan
    private let position: Int

    package init(
        client: any Requesting, path: String, token: String, plan: Plan, version: String, id: ID?, mode: String? = nil
    ) {
        self.client = client
        self.path = path
        self.version = version
        self.id = id
        self.plan = plan
        guard let position = ShapeName(version).flatMap({ plan.index(of: $0) }) else {
            preconditionFailure("\(plan.app) has no version \(version)")
        }
        self.position = position
        var headers = [
            "\(HeaderName.authorization): Bearer \(token)", "\(HeaderName.schemaVersion): \(version)",
            "Content-Type: \(MediaType.json)",
        ]
        if let id { headers.append("\(HeaderName.deviceID): \(id)") }
        if let mode { headers.append("\(HeaderName.changeMode): \(mode)") }
        self.headers = headers
    }

    /// An error: the server answered with another status than 200.
    package struct Refused: Error, CustomStringConvertible {
        package let reply: TestReply
        package var description: String { reply.description }
    }

    /// Applies changes to the device's records, and adds them to the outbox.
    package func make(_ changes: [JSONValue]) {
        for change in changes { apply(change) }
        outbox += changes
    }

    /// Applies changes to the device's records, and pushes the whole outbox. If the push fails, the changes stay in the
    /// outbox.
    @discardableResult
    package func push(_ changes: [JSONValue] = []) async throws -> TestPushAnswer {
        make(changes)
        let sent = outbox
        let answer = try await send(sent, cursor: cursor)
        outbox.removeFirst(sent.count)
        for (change, verdict) in zip(sent, answer.verdicts) where verdict == VerdictName.superseded.rawValue {
            doubt(change)
        }
        cursor = answer.cursor
        return answer
    }

    /// Pushes changes without changing the device's state, as if the answer were lost.
    ///
    /// - Parameter intent: the value of the member `intent`, with which a device declares a mass deletion; `nil` for
    ///   none.
    @discardableResult
    package func send(
        _ changes: [JSONValue], cursor: String? = nil, intent: String? = nil
    ) async throws -> TestPushAnswer {
        var body: [String: JSONValue] = ["changes": .array(changes)]
        if let intent { body["intent"] = .string(intent) }
        if let cursor { body["cursor"] = .string(cursor) }
        let reply = try await client.request("POST", path, headers: headers, body: JSONValue.object(body).bytes)
        guard reply.status == 200 else { throw Refused(reply: reply) }
        return TestPushAnswer(reply, count: changes.count)
    }

    /// Pulls one page, and applies it to the device's records.
    @discardableResult
    package func pullPage(limit: Int? = nil) async throws -> Page {
        var query: [String] = []
        if let cursor { query.append("\(QueryParameter.cursor)=\(cursor)") }
        if let limit { query.append("\(QueryParameter.limit)=\(limit)") }
        query.append("\(QueryParameter.stamps)=true")
        let target = "\(path)?\(query.joined(separator: "&"))"
        let reply = try await client.request("GET", target, headers: headers)
        guard reply.status == 200 else { throw Refused(reply: reply) }
        let page = Page(reply)
        for change in page.changes { adopt(change) }
        cursor = page.cursor
        if !page.more { endSnapshot() }
        return page
    }

    /// Pulls all remaining pages, and returns all changes in them.
    @discardableResult
    package func pullAll(limit: Int? = nil) async throws -> [JSONValue] {
        var all: [JSONValue] = []
        while true {
            let page = try await pullPage(limit: limit)
            all += page.changes
            if !page.more { return all }
        }
    }

    /// Pushes the outbox, and pulls all pages. If the cursor has expired, the device takes a snapshot (a pull from the
    /// beginning). If the server was restored from a backup, the device sends it all values that it has lost.
    package func sync(limit: Int? = nil) async throws {
        while true {
            do {
                if !outbox.isEmpty { try await patiently { try await push() } }
                try await patiently { try await pullAll(limit: limit) }
                return
            } catch let refused as Refused where refused.reply.isProblem(.cursorExpired) {
                beginSnapshot()
            } catch let refused as Refused where refused.reply.isProblem(.epochChanged) {
                try await beginAnew(limit: limit)
            }
        }
    }

    /// Does `work`, and repeats it up to 20 times while the server answers that it is busy (503). A server is also busy
    /// for a moment after a restart of its database, because it notices this only session by session.
    private func patiently(_ work: () async throws -> Void) async throws {
        for _ in 1...20 {
            do {
                return try await work()
            } catch let refused as Refused where refused.reply.status == 503 {}
        }
        try await work()
    }

    /// Makes the device incorrect: from now on, it does not send lost values to a server that was restored.
    package func forgetToOffer() {
        isOffering = false
    }

    /// Reads all records of a server that was restored, sends the values that the server lacks, and reads all records
    /// again. The changes in the outbox are sent together with these values.
    ///
    /// - Parameter limit: the maximum number of records on a page.
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
        try await patiently { try await send(offered, intent: PushIntent.massDeletion.description) }
        (outbox, cursor) = ([], nil)
        loseRecords()
        try await patiently { try await pullAll(limit: limit) }
    }

    private func loseRecords() {
        (store, stamps, unconfirmed) = ([:], [:], nil)
    }

    /// Drops the cursor, so that the next pull is a snapshot (a pull from the beginning). After its last page, the
    /// device removes all records that were neither received nor edited since.
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

    /// Marks a record as unconfirmed after an edit of it has lost, because the server may have deleted the record.
    ///
    /// If a pull from the beginning is under way, the device removes the record at its end, unless a remaining page
    /// contains it.
    private func doubt(_ change: JSONValue) {
        guard let entity = change["entity"].string, let id = change["id"].string, store[entity]?[id] != nil,
            !outbox.contains(where: { $0["entity"].string == entity && $0["id"].string == id })
        else { return }
        unconfirmed?.insert(Key(entity: entity, id: id))
    }

    /// Deletes the records, their stamps, the outbox and the cursor. The device's id stays.
    package func loseStore() {
        store = [:]
        stamps = [:]
        outbox = []
        cursor = nil
        unconfirmed = nil
    }

    /// The stamps of each record of which the device knows, by the record's id. Deleted records are included.
    package var known: [String: Set<Int64>] {
        stamps.reduce(into: [:]) { $0[$1.key.id, default: []].formUnion($1.value.all) }
    }

    package func use(cursor: String?) {
        self.cursor = cursor
    }

    /// Starts with the records and the cursor that another version of the app left on this device.
    package func take(over store: Store, cursor: String?) {
        self.store = store
        self.cursor = cursor
    }

    /// Returns the value of an attribute of a record; `nil` if the device does not have the record.
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
            let projection = plan.projection(version: position, named: entity)
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

    /// Returns the initial values of a new record, except those that depend on the record itself, such as its creation
    /// time.
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
        stamps[Key(entity: entity, id: id)] = RecordStamps(received: change)
        store[entity, default: [:]][id] = change["op"] == "delete" ? nil : change["fields"].members
    }
}

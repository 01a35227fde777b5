import Foundation
import StrictJSON
public import WireFormats

/// A client without a store, for an app that already has data when it begins to sync. It pushes the app's records, each
/// with the time at which the record was last changed. For everything else use `SyncStore`.
///
/// ```swift
/// let space = SpaceEndpoint(server: server, app: "library", space: "me", token: token)
/// let upload = SpaceClient(endpoint: space, schema: try LibrarySchema.schema(), device: device)
/// let book = OutgoingChange(
///     entity: "Book", id: RecordID("507f1f77bcf86cd799439011"), operation: .create,
///     stamp: Stamp(milliseconds: 1_791_244_800_000), fields: [("title", .string("Lavinia"))])
/// for refused in try await upload.push([book]).results { print(refused.index, refused.verdict) }
/// ```
///
/// If the server answers 503 or 429 with a short `Retry-After`, the request is sent again automatically, a few times. A
/// push may be repeated: changes that the server has stored already count once.
public struct SpaceClient: Sendable {
    package let endpoint: SpaceEndpoint
    package let schema: Schema
    package let device: ID

    /// The maximum number of attempts for one request. If the server is busy at the last attempt, too, the call throws.
    private static let attemptsMax = 4

    /// The longest pause, in seconds, after which a request is sent again. If the server asks for a longer one, the
    /// call throws. A server that restarts asks for 2 s.
    private static let pauseMaxSeconds = 5.0

    /// Makes a client of one space.
    ///
    /// - Parameters:
    ///   - endpoint: the address of the space, and a token.
    ///   - schema: the models of the app's build.
    ///   - device: the id of the device. Use the same id every time, because the server counts devices by their ids.
    public init(endpoint: SpaceEndpoint, schema: SyncSchema, device: ID) {
        self.init(endpoint: endpoint, schema: schema.current, device: device)
    }

    package init(endpoint: SpaceEndpoint, schema: Schema, device: ID) {
        self.endpoint = endpoint
        self.schema = schema
        self.device = device
    }

    /// The answer to a push.
    public struct PushAnswer: Sendable {
        /// The verdict on one change, with the index of the change in the push.
        public struct Result: Sendable, Hashable {
            /// The index of the change in the push, from 0.
            public let index: Int
            /// The verdict: `applied`, `superseded`, `unchanged`, `merged` or `rejected`, as `docs/protocol.md`
            /// explains them.
            public let verdict: String
            /// The stable code of a rejection, such as `record-too-large`; `nil` for other verdicts.
            public let code: String?
            /// The reason of a rejection, in words for a developer.
            public let detail: String?
        }

        /// The number of changes that were applied.
        public let applied: Int
        /// The results of the changes whose verdict is not `applied`, and of the changes whose stamp the server has
        /// replaced.
        public let results: [Result]
        package let cursor: String
    }

    /// One page of a space's records.
    package struct PullAnswer: Sendable {
        package let changes: [IncomingChange]
        package let cursor: String
        package let more: Bool
    }

    /// Pushes changes: at most 5,000, in at most 8 MiB of JSON. The same changes may be pushed again, in any order.
    ///
    /// - Throws: `SyncFailure`; `problem` with the code `too-large` for more changes than a push may have. After
    ///   `unreachable` the server may have stored the changes; push them again.
    public func push(_ changes: [OutgoingChange]) async throws(SyncFailure) -> PushAnswer {
        try await push(changes, after: nil)
    }

    /// Pushes changes, and tells the server the state of the device.
    ///
    /// - Parameters:
    ///   - cursor: the device's latest cursor; `nil` if it has none. It tells the server what the device has read. So
    ///     the server recognizes a value that the device only repeats, and sends no record that the device already has.
    ///     The answer contains the next cursor.
    ///   - isMassDeletion: true if the user has confirmed the deletions. Otherwise the server rejects the deletion of
    ///     most of a space with the code `mass-deletion`, because the device may have lost its store.
    ///   - outboxAge: the age of the oldest unsent change, including those in this push. The server uses it only for
    ///     statistics. If it is `nil`, no age is sent.
    package func push(
        _ changes: [OutgoingChange], after cursor: String? = nil, isMassDeletion: Bool = false,
        outboxAge: Duration? = nil
    ) async throws(SyncFailure) -> PushAnswer {
        var writer = JSONWriter(capacity: changes.count * 256)
        writer.beginObject()
        writer.key(BodyMember.changes)
        writer.beginArray()
        for change in changes { change.write(to: &writer) }
        writer.endArray()
        if let cursor {
            writer.member(BodyMember.cursor, cursor)
        }
        if isMassDeletion {
            writer.member(BodyMember.intent, PushIntent.massDeletion.description)
        }
        writer.endObject()
        let answer = try await send("POST", endpoint.url(SpaceAction.changes), body: writer.bytes, outboxAge: outboxAge)
        return try read(answer) { root in pushAnswer(root) }
    }

    /// Returns the page after `cursor`, or the first page if there is no cursor.
    ///
    /// - Parameter outboxAge: the age of the oldest unsent change; zero if there is none.
    /// - Throws: `SyncFailure`. If it is `problem` with the code `cursor-expired`, keep the outbox, and read all pages
    ///   again without a cursor. After the last page (`more` is false), drop the records that were in no page and were
    ///   not edited on this device meanwhile.
    package func pull(
        after cursor: String?, limit: Int? = nil, outboxAge: Duration? = nil
    ) async throws(SyncFailure) -> PullAnswer {
        var query: [URLQueryItem] = []
        if let cursor { query.append(URLQueryItem(name: QueryParameter.cursor, value: cursor)) }
        if let limit { query.append(URLQueryItem(name: QueryParameter.limit, value: String(limit))) }
        let answer = try await send(
            "GET", endpoint.url(SpaceAction.changes, query: query), body: nil, outboxAge: outboxAge)
        return try read(answer) { root in pullAnswer(root) }
    }

    private func send(
        _ method: String, _ url: URL, body: [UInt8]?, outboxAge: Duration?
    ) async throws(SyncFailure) -> [UInt8] {
        var request = TransportRequest(
            method: method, url: url,
            headers: [
                (HeaderName.authorization, "Bearer \(endpoint.token)"),
                // With the fingerprint, because a number may have been given to two shapes.
                (HeaderName.schemaVersion, "\(schema.version);fp=\(schema.fingerprint)"),
                (HeaderName.deviceID, device.description),
            ])
        // A clock that was set back makes ages negative.
        if let outboxAge {
            request.headers.append((HeaderName.outboxAge, "\(max(0, outboxAge.components.seconds))"))
        }
        if let body {
            request.headers.append(("Content-Type", MediaType.json))
            request.body = body
        }
        var attempt = 1
        while true {
            let answer = try await answer(to: request)
            if answer.status == 200 { return answer.body }
            guard attempt < SpaceClient.attemptsMax, [429, 503].contains(answer.status),
                let seconds = answer.retryAfter, (0...SpaceClient.pauseMaxSeconds).contains(seconds),
                (try? await Task.sleep(for: .seconds(seconds))) != nil
            else { throw problem(answer.status, answer.body) }
            attempt += 1
        }
    }

    private func answer(to request: TransportRequest) async throws(SyncFailure) -> TransportAnswer {
        do {
            return try await SystemTransport.shared.send(request)
        } catch {
            throw error as? SyncFailure ?? .unreachable("\(error)")
        }
    }

    private func problem(_ status: Int, _ body: [UInt8]) -> SyncFailure {
        let root = (try? JSONDocument(parsing: body))?.root
        return .problem(
            status: status, code: root?[BodyMember.code]?.string ?? "unknown",
            detail: root?[BodyMember.detail]?.string ?? "")
    }

    private func read<Answer>(_ body: [UInt8], _ parse: (JSONNode) -> Answer?) throws(SyncFailure) -> Answer {
        guard let root = (try? JSONDocument(parsing: body))?.root, let answer = parse(root) else {
            throw .unexpectedAnswer(String(decoding: body.prefix(200), as: UTF8.self))
        }
        return answer
    }

    private func pushAnswer(_ root: JSONNode) -> PushAnswer? {
        guard let applied = root[BodyMember.applied]?.int64, applied >= 0,
            let entries = root[BodyMember.results]?.elements,
            let cursor = root[BodyMember.cursor]?.string
        else { return nil }
        let results = entries.compactMap { entry -> PushAnswer.Result? in
            guard let index = entry[BodyMember.index]?.int64, index >= 0,
                let verdict = entry[BodyMember.verdict]?.string
            else {
                return nil
            }
            return PushAnswer.Result(
                index: Int(index), verdict: verdict, code: entry[BodyMember.code]?.string,
                detail: entry[BodyMember.detail]?.string)
        }
        guard results.count == entries.count else { return nil }
        return PushAnswer(applied: Int(applied), results: results, cursor: cursor)
    }

    private func pullAnswer(_ root: JSONNode) -> PullAnswer? {
        guard let nodes = root[BodyMember.changes]?.elements, let cursor = root[BodyMember.cursor]?.string,
            let more = root[BodyMember.more]?.bool
        else { return nil }
        let changes = nodes.compactMap { change($0) }
        guard changes.count == nodes.count else { return nil }
        return PullAnswer(changes: changes, cursor: cursor, more: more)
    }

    /// Reads one change of a page. Returns `nil` if the change is malformed, or has an entity or an attribute that the
    /// device's schema does not have. The server promises never to send such a change.
    private func change(_ node: JSONNode) -> IncomingChange? {
        guard let name = node[BodyMember.entity]?.string, let entity = schema.entity(name),
            let id = id(node[BodyMember.id], of: entity), let seq = node[BodyMember.seq]?.int64,
            let stamp = node[BodyMember.stamp]?.int64.flatMap(Stamp.init(rawValue:)),
            let operation = node[BodyMember.operation]?.string
        else { return nil }
        if operation == ChangeOperation.delete.rawValue {
            return IncomingChange(entity: name, id: id, seq: seq, stamp: stamp, fields: nil)
        }
        guard let members = node[BodyMember.fields]?.members else { return nil }
        let types = Dictionary(
            entity.fields.map { ($0.name, schema.wireType(of: $0)) }, uniquingKeysWith: { first, _ in first })
        var fields: [String: Value] = [:]
        for member in members {
            guard let type = types[member.key], let value = try? ValueReader.read(member.value, as: type) else {
                return nil
            }
            fields[member.key] = value
        }
        return fields.count == types.count
            ? IncomingChange(entity: name, id: id, seq: seq, stamp: stamp, fields: fields) : nil
    }

    private func id(_ node: JSONNode?, of entity: Schema.Entity) -> RecordID? {
        entity.identityType == .string ? node?.string.map { RecordID($0) } : node?.id.map { RecordID($0) }
    }
}

import HTTPServer
import StrictJSON
import SyncEngine
import WireFormats

/// The three endpoints for a space's records: push, pull and sync. They pass a request's content to the engine and
/// write the engine's result as the response.
struct SyncRoutes {
    let request: HTTPRequest
    let context: SpaceRequest
    let now: Timestamp
    let log: Log
    let largeBodies: LargeBodies
    let metrics: Metrics
    let live: LivePolicy

    /// `POST …/changes`: pushes changes.
    func push() async throws -> HTTPResponse {
        let result = try await pushed(isSync: false).result
        return response(head: result.head) { writer in
            write(result, to: &writer)
            writer.member(BodyMember.cursor, result.cursor.text)
        }
    }

    /// `GET …/changes?cursor=&limit=&stamps=`: returns a page of the space's changes after the cursor.
    func pull() async throws -> HTTPResponse {
        let cursor = try Body.cursor(request.query(firstNamed: QueryParameter.cursor))
        let limit = try Body.limit(request.query(firstNamed: QueryParameter.limit).map(Body.integer))
        let withStamps = try Body.withStamps(request.query(firstNamed: QueryParameter.stamps))
        let page = try await context.engine.pull(
            after: cursor, limit: limit, withStamps: withStamps, as: context.caller)
        metrics.note(pulled: page.count, of: context.engine.plan.app)
        return response(head: page.head) { write(page, to: &$0) }
    }

    /// `POST …/sync`: push, then pull.
    ///
    /// The result of the push is sent even if the pull fails: then the page is empty, and `more` is true.
    func sync() async throws -> HTTPResponse {
        let (pushed, body) = try await pushed(isSync: true)
        let page: SyncEngine.PullResult
        do {
            page = try await context.engine.pull(
                after: pushed.cursor, limit: body.limit, withStamps: body.withStamps,
                as: context.caller)
        } catch {
            log.error("a sync has stored its push and could not pull", error)
            page = .interrupted(at: pushed.cursor, head: pushed.head)
        }
        metrics.note(pulled: page.count, of: context.engine.plan.app)
        return response(head: page.head) { writer in
            write(pushed, to: &writer)
            write(page, to: &writer)
        }
    }

    /// Reads the body and pushes its changes.
    private func pushed(isSync: Bool) async throws -> (result: SyncEngine.PushResult, body: PushBody) {
        let (result, body) = try await largeBodies.withRoom(for: request.body.count) {
            let body = try PushBody(request, context, isSync: isSync)
            try live.current.rates?.take(.changes, of: context.holder, cost: body.changes.count)
            // A request whose second half will fail must not have stored its first: the push checks the cursor.
            let result = try await context.engine.push(
                body.changes, cursor: body.cursor, isMassDeletion: body.isMassDeletion, as: context.caller
            ) { body.texts?.texts(of: $0) ?? [:] }
            return (result, body)
        }
        note(result)
        return (result, body)
    }

    /// Counts the outcomes of the pushed changes in the metrics. Logs a warning if changes were put in quarantine,
    /// because an operator must look at them.
    private func note(_ result: SyncEngine.PushResult) {
        metrics.note(verdicts: result.verdicts, of: context.engine.plan.app)
        let codes = result.verdicts.compactMap { verdict in
            if case .held(let holding) = verdict { holding.code.rawValue } else { nil }
        }
        if codes.isEmpty { return }
        // The log does not name the spaces, because more people read it than may know of a space; the command names
        // them.
        log.warning(
            "changes held",
            [
                "app": .text(context.engine.plan.app), "count": .count(codes.count),
                "codes": .text(Set(codes).sorted().joined(separator: ",")), "next": "syncserver quarantine list",
            ])
    }

    private func write(_ result: SyncEngine.PushResult, to writer: inout JSONWriter) {
        writer.member(BodyMember.applied, result.verdicts.count { $0 == .applied })
        writer.key(BodyMember.results)
        writer.beginArray()
        for (index, verdict) in result.verdicts.enumerated()
        where verdict != .applied || result.stamps[index] != nil {
            writer.beginObject()
            writer.member(BodyMember.index, index)
            writer.member(BodyMember.verdict, verdict.name)
            if let stamp = result.stamps[index] {
                writer.member(BodyMember.stamp, stamp.rawValue)
            }
            switch verdict {
            case .merged(let kept):
                writer.member(BodyMember.kept, kept)
            case .rejected(let rejection):
                writer.member(BodyMember.code, rejection.code.rawValue)
                writer.member(BodyMember.detail, rejection.detail)
                if let holder = rejection.holder { writer.member(BodyMember.holder, rejection.text(of: holder)) }
                if !rejection.children.isEmpty {
                    writer.member(BodyMember.children, rejection.children.map { rejection.text(of: $0) })
                }
            case .held(let holding): writer.member(BodyMember.code, holding.code.rawValue)
            case .applied, .superseded, .unchanged: break
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ page: SyncEngine.PullResult, to writer: inout JSONWriter) {
        writer.key(BodyMember.changes)
        writer.beginArray()
        if !page.changes.isEmpty { writer.raw(json: page.changes.span) }
        writer.endArray()
        writer.member(BodyMember.cursor, page.cursor.text)
        writer.member(BodyMember.more, page.more)
    }

    private func response(head: Int64, _ content: (inout JSONWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter(capacity: 1 << 10)
        writer.beginObject()
        content(&writer)
        writer.key(BodyMember.serverTime)
        writer.timestamp(now)
        writer.endObject()
        return HTTPResponse(
            status: 200, headers: context.headers(type: MediaType.json, head: head, now: now), body: writer.bytes)
    }
}

/// The parsed body of a push or sync. It does not keep the JSON document, which takes many times the body's size.
struct PushBody {
    let changes: SyncEngine.ReadChanges
    let texts: ChangeTexts?
    let cursor: Cursor?
    let isMassDeletion: Bool
    /// The maximum number of records in the page that the response to a sync contains. It is 0 for a push, whose
    /// response has no page.
    let limit: Int
    let withStamps: Bool

    /// Parses the body.
    ///
    /// - Throws: `Problem`, `JSONError`, `SyncError`.
    ///
    /// - Parameter isSync: true if a pull follows the push. Only then are the page's limit and `stamps` read.
    init(_ request: HTTPRequest, _ context: SpaceRequest, isSync: Bool) throws {
        let body = try Body(request)
        cursor = try body.cursor()
        (limit, withStamps) = isSync ? (try body.limit(), try body.withStamps()) : (0, false)
        isMassDeletion = try body.isMassDeletion()
        texts = body.texts
        changes = try context.engine.read(body.changes(), unreadable: body.unreadable, as: context.caller)
    }
}

/// The JSON object of a push or sync, with accessors for its members.
private struct Body {
    private let root: JSONNode
    private let bytes: [UInt8]
    /// The errors of changes that are not valid JSON, by the change's index in the request. The JSON document `root`
    /// has null in place of such a change.
    let unreadable: [Int: JSONError]

    init(_ request: HTTPRequest) throws {
        try request.expectJSON()
        let limits = JSONDocument.Limits()
        do throws(JSONError) {
            root = try JSONDocument(parsing: request.body, limits: limits).root
            (bytes, unreadable) = (request.body, [:])
        } catch {
            // An error in one change must not affect the others.
            let salvage = JSONSalvage(
                ofMember: BodyMember.changes.description, in: request.body, elementsMax: SyncEngine.changesMax,
                limits: limits)
            guard let salvage else { throw error }
            root = try JSONDocument(parsing: salvage.bytes, limits: limits).root
            (bytes, unreadable) = (salvage.bytes, salvage.faults)
        }
        guard root.members != nil else { throw Problem.malformed("The body must be an object with ‘changes’.") }
    }

    func changes() throws -> JSONNode {
        guard let changes = root[BodyMember.changes] else { throw Problem.malformed("The body has no ‘changes’.") }
        return changes
    }

    var texts: ChangeTexts? { ChangeTexts(bytes, root: root) }

    func cursor() throws -> Cursor? {
        guard let node = root[BodyMember.cursor], !node.isNull else { return nil }
        guard node.kind == .string else { throw Problem.malformed("‘cursor’ must be a string.") }
        let isShort = node.withUTF8 { $0.count <= Cursor.textSizeMaxBytes } ?? false
        guard isShort else { throw SyncError.badCursor }
        return try Body.cursor(node.string)
    }

    /// Returns true if the device states that it means to delete a large share of the space.
    func isMassDeletion() throws -> Bool {
        guard let node = root[BodyMember.intent], !node.isNull else { return false }
        guard node.isString(PushIntent.massDeletion) else {
            throw Problem.malformed("‘intent’ may be ‘mass-deletion’ only.")
        }
        return true
    }

    func limit() throws -> Int {
        guard let node = root[BodyMember.limit], !node.isNull else { return try Body.limit(nil) }
        // In JSON Schema 20.0 is an integer, too.
        return try Body.limit(node.int64 ?? node.double.map(Body.integer) ?? 0)
    }

    /// Returns the integer that `text` is, or the largest `Int64` if the integer is larger; 0 if the text is no
    /// integer.
    static func integer(_ text: String) -> Int64 {
        if let number = Int64(text) { return number }
        return !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? .max : 0
    }

    static func integer(_ number: Double) -> Int64 {
        // Beyond 2^53 every number is whole.
        number >= 0x1p63 ? .max : Int64(exactly: number) ?? 0
    }

    func withStamps() throws -> Bool {
        guard let node = root[BodyMember.stamps], !node.isNull else { return false }
        guard let wanted = node.bool else { throw Problem.malformed("‘stamps’ must be true or false.") }
        return wanted
    }

    static func withStamps(_ text: String?) throws -> Bool {
        switch text {
        case nil, "false": false
        case "true": true
        default: throw Problem.malformed("‘stamps’ must be ‘true’ or ‘false’.")
        }
    }

    static func cursor(_ text: String?) throws -> Cursor? {
        guard let text, !text.isEmpty else { return nil }
        guard let cursor = Cursor(text) else { throw SyncError.badCursor }
        return cursor
    }

    static func limit(_ limit: Int64?) throws -> Int {
        guard let limit else { return SyncEngine.pageRecordsDefault }
        guard limit >= 1 else { throw Problem.malformed("‘limit’ must be an integer from 1.") }
        return Int(min(limit, Int64(SyncEngine.pageRecordsMax)))
    }
}

import HTTPServer
import WireFormats

/// A request to a space, parsed and authorized: the routes behind it receive only valid values.
struct SyncRequest {
    let engine: SyncEngine
    let caller: SyncEngine.Caller
    /// What the device says of changes that it has not sent yet.
    let outboxAge: OutboxAge?

    /// - Throws: the `Problem` to answer with.
    init(
        _ request: HTTPRequest, engine: SyncEngine, space: String, grant: Grant, writes: Bool
    ) throws(Problem) {
        let plan = engine.plan
        guard grant.reaches(app: plan.app) else {
            throw .forbidden("The token is for another app than \(plan.app).")
        }
        if writes, grant.role != .write { throw .forbidden("The token may read only.") }
        let id = try SyncRequest.space(space, grant)
        let version = try SyncRequest.version(request.headers["Schema-Version"], plan)
        let device = try SyncRequest.device(request.headers["Device-Id"])
        guard let mode = ChangeMode(header: request.headers["Change-Mode"]) else {
            throw .malformed("‘Change-Mode’ must be ‘patch’ or ‘whole’.")
        }
        self.engine = engine
        outboxAge = request.headers["Outbox-Age"].flatMap { OutboxAge(header: $0) }
        caller = SyncEngine.Caller(
            space: id, version: version, device: device, mode: mode,
            statesFingerprint: request.headers["Schema-Version"]?.utf8.contains(UInt8(ascii: ";")) ?? false)
    }

    /// The headers of an answer.
    func headers(type: String, head: Int64, now: Timestamp) -> HTTPHeaders {
        [
            "Content-Type": type, "Cache-Control": "no-store",
            "Schema-Version": engine.names[caller.version], "Sync-Head": String(head),
            "Server-Time": now.description,
        ]
    }

    private static func space(_ text: String, _ grant: Grant) throws(Problem) -> ID {
        if text == "me" {
            guard let own = grant.spaces.first else { throw .forbidden("The token has no space of its own.") }
            return own
        }
        guard let id = ID(text) else { throw .notFound("A space is a UUID, or ‘me’.") }
        // The same answer whether the space exists or not: nothing is told about spaces of others.
        guard grant.spaces.contains(id) else { throw .forbidden("The token does not reach this space.") }
        return id
    }

    /// `0.0.4`, or `0.0.4;fp=<16 hexadecimal digits>`. Clients that were built before the app had version numbers say
    /// `;fp=…` alone; or nothing at all, where the plan has a baseline.
    private static func version(_ header: String?, _ plan: Plan) throws(Problem) -> Int {
        guard let header else {
            if let baseline = plan.baseline { return baseline }
            throw .malformed(
                "Send the schema version of your models, such as ‘Schema-Version: \(plan.schemas[0].version)’.")
        }
        if let place = plan.index(ofStated: header) { return place }
        guard let name = ShapeName(header) else {
            throw .malformed(
                "‘Schema-Version’ must be major.minor.patch, with an optional ‘;fp=…’; or ‘;fp=…’ alone.")
        }
        guard let place = plan.index(of: name) else {
            throw .schemaUnknown(plan.absence(of: name), known: plan.schemas.map(\.version.description))
        }
        return place
    }

    private static func device(_ header: String?) throws(Problem) -> ID? {
        guard let header else { return nil }
        guard let id = ID(header) else { throw .malformed("‘Device-Id’ must be a UUID.") }
        return id
    }
}

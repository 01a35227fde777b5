import HTTPServer
import PGStore
import Postgres
import SyncEngine
import WireFormats

/// The validated headers of a request for a space's data. The code that handles the request receives only valid values.
struct SpaceRequest {
    let engine: SyncEngine
    let caller: SyncEngine.Caller
    /// The party (the token's subject) whose rate limits, and whose share of the server's memory, the request uses.
    let holder: Holder
    /// The age of the device's unsent changes, as the device states it.
    let outboxAge: OutboxAge?
    /// The stored dates of the deprecation and end of the device's version; `nil` if none are stored.
    private let lifecycle: VersionStates.Row?

    /// Validates the headers.
    ///
    /// - Throws: the `Problem` to answer with.
    init(_ request: HTTPRequest, _ access: SpaceAccess) throws(Problem) {
        engine = access.engine
        holder = access.bearer.holder
        let plan = engine.plan
        let version = try SpaceRequest.version(request.headers[HeaderName.schemaVersion], plan)
        let device = try SpaceRequest.device(request.headers[HeaderName.deviceID])
        guard let mode = ChangeMode(header: request.headers[HeaderName.changeMode]) else {
            throw .malformed("‘Change-Mode’ must be ‘patch’ or ‘whole’.")
        }
        let repetitions = request.headers[HeaderName.repetitions]
        guard repetitions == nil || repetitions == HeaderName.noRepetitions else {
            throw .malformed("‘Repetitions’ must be ‘none’, or not be there.")
        }
        let lifecycle = engine.lifecycles.row(of: version)
        if let lifecycle, lifecycle.state(at: engine.clock.time).hasEnded {
            throw .versionRetired(engine.names[version], lifecycle, current: "\(plan.schemas[plan.newest].version)")
        }
        self.lifecycle = lifecycle
        outboxAge = request.headers[HeaderName.outboxAge].flatMap { OutboxAge(header: $0) }
        caller = SyncEngine.Caller(
            space: access.space, subject: access.grant.subject, version: version, device: device, mode: mode,
            statesFingerprint: request.headers[HeaderName.schemaVersion]?.utf8.contains(UInt8(ascii: ";")) ?? false,
            mayWrite: access.role >= .editor, revocations: access.revocations,
            repeatsNothing: repetitions != nil)
    }

    /// Returns the headers of a successful response.
    func headers(type: String, head: Int64, now: Timestamp) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Content-Type": type, "Cache-Control": "no-store",
            HeaderName.schemaVersion: engine.names[caller.version], HeaderName.syncHead: String(head),
            HeaderName.serverTime: now.description,
        ]
        for (name, value) in lifecycle?.headers(at: now) ?? [] { headers[name] = value }
        return headers
    }

    /// Returns the schema that the `Schema-Version` header names, as an index in the shapes (exact schemas) of the
    /// plan. The header is `0.0.4`, or `0.0.4;fp=<16 hexadecimal digits>` with the schema's fingerprint.
    ///
    /// Clients that were built before the app had version numbers send `;fp=…` alone. They may also omit the header if
    /// the plan has a baseline. The baseline is the version that is assumed then.
    private static func version(_ header: String?, _ plan: Plan) throws(Problem) -> Int {
        guard let header else {
            if let baseline = plan.baseline { return baseline }
            throw .malformed(
                "Send the schema version of your models, such as ‘Schema-Version: \(plan.schemas[0].version)’.")
        }
        if let index = plan.index(ofStated: header) { return index }
        guard let name = ShapeName(header) else {
            throw .malformed(
                "‘Schema-Version’ must be major.minor.patch, with an optional ‘;fp=…’; or ‘;fp=…’ alone.")
        }
        guard let index = plan.index(of: name) else {
            throw .schemaUnknown(plan.absence(of: name), known: plan.schemas.map(\.version.description))
        }
        return index
    }

    private static func device(_ header: String?) throws(Problem) -> ID? {
        guard let header else { return nil }
        guard let id = ID(header) else { throw .malformed("‘Device-Id’ must be a UUID.") }
        return id
    }
}

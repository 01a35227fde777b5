import HTTPServer
import SyncEngine
import WireFormats

/// `GET …/events`: a stream that says where the space stands, now and whenever it moves.
struct EventsRoute {
    let context: SyncRequest
    /// The hash of the token that came with the request.
    let token: [UInt8]
    let hub: EventHub
    let now: Timestamp

    func open() async throws -> HTTPResponse {
        let name = SpaceName(app: context.engine.plan.app, space: context.caller.space)
        // Before the head is read, so that no move is between the two. Given up, it is no longer a listener.
        let stream = hub.stream(of: name, in: context.caller.version, token: token)
        let standing = try await context.engine.standing(for: context.caller)
        hub.tell([name: standing])
        var headers = context.headers(type: "text/event-stream", head: standing.head, now: now)
        // nginx collects an answer before it passes it on, unless told not to.
        headers["X-Accel-Buffering"] = "no"
        return HTTPResponse(status: 200, headers: headers, body: .stream(stream))
    }
}

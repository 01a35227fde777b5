import HTTPServer
import SyncEngine
import WireFormats

/// `GET …/events`: a stream that sends the space's head (the number of its latest change) now and after each change.
struct EventsRoute {
    let context: SpaceRequest
    /// The hash of the request's token.
    let token: [UInt8]
    let hub: EventHub
    let now: Timestamp

    func open() async throws -> HTTPResponse {
        let name = SpaceName(app: context.engine.plan.app, space: context.caller.space)
        // The stream is opened before the head is read, so that no change is missed between the two. If the stream is
        // dropped, it is no longer a listener.
        let stream = hub.stream(of: name, in: context.caller.version, token: token)
        let head = try await context.engine.currentHead(for: context.caller)
        hub.publish([name: head])
        var headers = context.headers(type: MediaType.events, head: head.head, now: now)
        // nginx buffers a response before it passes it on, unless this header forbids it.
        headers["X-Accel-Buffering"] = "no"
        return HTTPResponse(status: 200, headers: headers, body: .stream(stream))
    }
}

import HTTPServer
import WireFormats

/// Observes one request: counts its response, adds the request's id to it, and logs it if requests are logged.
struct RequestObserver: Sendable {
    let id: RequestID
    let method: String
    let operation: String
    let metrics: Metrics
    let origins: CrossOrigins
    /// The origin of the page that may read the response; `nil` for none.
    let origin: String?
    /// The log; `nil` if requests are not logged.
    let log: Log?
    let start = ContinuousClock.now

    /// Creates the observer of a request.
    ///
    /// - Parameter route: the route of the request; `nil` for none.
    init(of request: HTTPRequest, _ route: Route?, _ policy: RequestPolicy, metrics: Metrics, log: Log) {
        id = RequestID(request)
        // The client chooses the method's text freely, so it is used only if a route has it.
        method = route?.method.token ?? "other"
        operation = route?.operation.name ?? Metrics.unrouted
        self.metrics = metrics
        origins = policy.origins
        origin = policy.origins.allowed(request)
        self.log = policy.logsRequests && !(route?.operation.isProbe ?? false) ? log : nil
    }

    /// Returns the same admission, extended so that its response is counted, and logged if requests are logged.
    func observing(_ admission: Admission) -> Admission {
        switch admission {
        case .answer(let response): return .answer(observed(response, received: 0))
        case .admit(let holder, let respond):
            return .admit(holder) { request in
                let response = await RequestID.$current.withValue(id) { await respond(request) }
                return observed(response, received: request.body.count)
            }
        case .lookUp(let look):
            return .lookUp {
                let admission = await RequestID.$current.withValue(id) { await look() }
                return observing(admission)
            }
        }
    }

    private func observed(_ response: HTTPResponse, received: Int) -> HTTPResponse {
        let duration = ContinuousClock.now - start
        metrics.note(operation, status: response.status, after: duration)
        if let log {
            var facts: [String: LogFact] = [
                "id": .text(id.text), "method": .text(method), "operation": .text(operation),
                "status": .count(response.status), "milliseconds": .milliseconds(duration),
                "received": .count(received),
            ]
            if case .bytes(let bytes) = response.body { facts["sent"] = .count(bytes.count) }
            facts["trace"] = id.trace.map(LogFact.text)
            log.info("request", facts)
        }
        var response = response
        response.headers[HeaderName.requestID] = id.text
        origins.allow(origin, &response.headers)
        return response
    }
}

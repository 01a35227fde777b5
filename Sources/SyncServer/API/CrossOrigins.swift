import HTTPServer
import SyncEngine
import WireFormats

/// The origins whose pages may call the server from a browser and read its responses (Fetch standard, “CORS protocol”).
///
/// Only browsers enforce these rules: a caller with a token may call from anywhere else. No cookies are used, so no
/// credentials are allowed.
package struct CrossOrigins: Sendable {
    private let origins: Set<String>

    package static let none = CrossOrigins(origins: [])

    private init(origins: Set<String>) {
        self.origins = origins
    }

    /// Parses a list of origins.
    ///
    /// - Parameter text: origins such as `https://app.example`, separated by commas; the initializer returns `nil` if
    ///   one of them is not an origin. An origin has no path, and no wildcard is allowed.
    package init?(_ text: String) {
        let parts = text.split(separator: ",").map { String($0.filter { $0 != " " }) }
        let areOrigins = parts.allSatisfy { part in
            part.wholeMatch(of: /https?:\/\/[a-z0-9.\-]+(:[0-9]{1,5})?|https?:\/\/\[[0-9a-f:]+\](:[0-9]{1,5})?/) != nil
        }
        guard !parts.isEmpty, areOrigins else { return nil }
        origins = Set(parts)
    }

    /// The time for which a browser may cache a preflight response, in seconds: as long as the browser with the longest
    /// cache allows.
    private static let maxAgeSeconds = 7_200

    /// The request headers that clients send, from `docs/protocol.md`.
    private static let allowedHeaders = [
        HeaderName.authorization, "Content-Type", "Content-Encoding", HeaderName.schemaVersion, HeaderName.deviceID,
        HeaderName.outboxAge,
        HeaderName.changeMode, HeaderName.repetitions, HeaderName.requestID, "traceparent",
    ].joined(separator: ", ")

    /// The response headers that clients read.
    private static let exposedHeaders = [
        HeaderName.schemaVersion, HeaderName.syncHead, HeaderName.serverTime, HeaderName.retryAfter,
        HeaderName.rateLimit, HeaderName.rateLimitPolicy, HeaderName.deprecation,
        HeaderName.sunset, HeaderName.link, HeaderName.allow, HeaderName.requestID,
    ].joined(separator: ", ")

    /// Returns the origin of the page if it may read the response; `nil` otherwise.
    func allowed(_ request: HTTPRequest) -> String? {
        request.headers["Origin"].flatMap { origins.contains($0) ? $0 : nil }
    }

    /// Returns the response to a CORS preflight request of an allowed origin; `nil` for any other request.
    func preflight(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == .options, allowed(request) != nil,
            request.headers["Access-Control-Request-Method"] != nil
        else { return nil }
        return HTTPResponse(
            status: 204,
            headers: [
                "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
                "Access-Control-Allow-Headers": CrossOrigins.allowedHeaders,
                "Access-Control-Max-Age": "\(CrossOrigins.maxAgeSeconds)",
            ])
    }

    /// Adds the headers that let a page of `origin` read the response.
    func allow(_ origin: String?, _ headers: inout HTTPHeaders) {
        if origins.isEmpty { return }
        // A cached response is valid for this origin only.
        headers.add("Vary", "Origin")
        guard let origin else { return }
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = CrossOrigins.exposedHeaders
    }
}

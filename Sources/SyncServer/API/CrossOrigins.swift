import HTTPServer
import SyncEngine

/// The origins of pages that browsers may let call the server and read its answers (Fetch standard, “CORS protocol”).
///
/// Nothing rests on it but what browsers keep to: whoever has a token may call from elsewhere. No cookies are used, so
/// no credentials are allowed.
package struct CrossOrigins: Sendable {
    private let origins: Set<String>

    package static let none = CrossOrigins(origins: [])

    private init(origins: Set<String>) {
        self.origins = origins
    }

    /// - Parameter text: origins such as `https://app.example`, divided by commas; `nil` where one of them is none. An
    ///   origin has no path, and no star stands for several.
    package init?(_ text: String) {
        let parts = text.split(separator: ",").map { String($0.filter { $0 != " " }) }
        let areOrigins = parts.allSatisfy { part in
            part.wholeMatch(of: /https?:\/\/[a-z0-9.\-]+(:[0-9]{1,5})?|https?:\/\/\[[0-9a-f:]+\](:[0-9]{1,5})?/) != nil
        }
        guard !parts.isEmpty, areOrigins else { return nil }
        origins = Set(parts)
    }

    /// How long a browser may remember what it was allowed: as long as the most patient of them does.
    private static let maxAgeSeconds = 7_200

    /// What clients send, of `docs/protocol.md`.
    private static let allowedHeaders = [
        "Authorization", "Content-Type", "Content-Encoding", "Schema-Version", "Device-Id", "Outbox-Age",
        "Change-Mode", "Repetitions", "X-Request-Id", "traceparent",
    ].joined(separator: ", ")

    /// What clients read of answers.
    private static let exposedHeaders = [
        "Schema-Version", "Sync-Head", "Server-Time", "Retry-After", "RateLimit", "RateLimit-Policy", "Deprecation",
        "Sunset", "Link", "Allow", "X-Request-Id",
    ].joined(separator: ", ")

    /// The origin of a page that may read the answer; `nil` for none.
    func allowed(_ request: HTTPRequest) -> String? {
        request.headers["Origin"].flatMap { origins.contains($0) ? $0 : nil }
    }

    /// The answer to a browser that asks whether a page may send a request; `nil` where that is not asked, or nobody's
    /// to know.
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

    /// Lets a page of `origin` read the answer.
    func allow(_ origin: String?, _ headers: inout HTTPHeaders) {
        if origins.isEmpty { return }
        // What is kept on the way is for that origin only.
        headers.add("Vary", "Origin")
        guard let origin else { return }
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = CrossOrigins.exposedHeaders
    }
}

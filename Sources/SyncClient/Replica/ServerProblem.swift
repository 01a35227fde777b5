import Foundation
import JSON
import WireFormats

/// An error answer of the server, in the format `application/problem+json`.
package struct ServerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let status: Int
    /// The protocol's code. Empty if the answer has none, such as one from a proxy, or one that the protocol does not
    /// have with this status.
    package let code: String
    /// The server's message, for a log.
    package let detail: String
    /// The pause in `Retry-After`, in seconds.
    package let retryAfter: Double?
    /// The URL of a page for people.
    package let link: String?
    /// The indices of the changes that an `outbox-closed` refuses.
    package let changes: [Int]

    /// Reads an error answer.
    ///
    /// - Parameters:
    ///   - contentType: the header's value. An answer that is not `application/problem+json` does not count as the
    ///     server's, whatever its status: between a device and its server are proxies, portals and caches.
    ///   - body: the body of the answer, of any content.
    ///   - retryAfter: the header's value, in seconds.
    package init(status: Int, contentType: String?, body: [UInt8], retryAfter: Double?) {
        self.status = status
        self.retryAfter = RetryPause.bounded(retryAfter)
        let root = ServerProblem.isProblem(contentType) ? (try? JSONDocument(parsing: body))?.root : nil
        guard let root, let code = root["code"]?.string, ServerProblem.codes[status]?.contains(code) == true else {
            code = ""
            detail = "what answered with \(status) is not the server, or says what the protocol does not have"
            link = nil
            changes = []
            return
        }
        self.code = code
        detail = String((root["detail"]?.string ?? root["title"]?.string ?? "").prefix(PushResult.detailMaxCharacters))
        link = root["link"]?.string.flatMap { ServerProblem.isPage($0) ? $0 : nil }
        changes = root["changes"]?.elements?.compactMap { $0.int64.flatMap { Int(exactly: $0) } } ?? []
    }

    package var description: String { "The server answered \(status) \(code): \(detail)" }

    /// True if the answer comes from the server, and not from something between.
    var isProtocols: Bool { !code.isEmpty }

    /// The codes with which the requests of a device may be refused, as listed in `docs/protocol.md`. Codes that are
    /// added later only cost time on a device that does not know them.
    private static let codes: [Int: Set<String>] = [
        400: ["malformed"], 401: ["unauthenticated"], 403: ["forbidden", "not-a-member"], 404: ["not-found"],
        405: ["method-not-allowed"], 408: ["timeout"],
        409: ["schema-unknown", "schema-ambiguous", "outbox-closed"],
        410: ["space-erased", "epoch-changed", "cursor-expired"], 411: ["length-required"], 413: ["too-large"],
        415: ["unsupported-media-type", "unsupported-encoding"], 426: ["version-retired"], 429: ["rate-limited"],
        431: ["headers-too-large"], 500: ["internal"],
        503: [
            "quarantine-full", "server-outdated", "keys-unavailable", "overloaded", "not-ready", "not-writable",
        ],
        505: ["http-version-not-supported"], 507: ["quota-exceeded"],
    ]

    private static func isProblem(_ contentType: String?) -> Bool {
        contentType?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
            == "application/problem+json"
    }

    /// True for a URL that an app may open as it is.
    private static func isPage(_ link: String) -> Bool {
        guard link.utf8.count <= ServerAnswer.cursorMaxBytes, let scheme = URL(string: link)?.scheme?.lowercased()
        else {
            return false
        }
        return ["http", "https"].contains(scheme)
    }
}

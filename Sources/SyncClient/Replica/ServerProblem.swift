import Foundation
import StrictJSON
import WireFormats

/// An error answer of the server, in the format `application/problem+json`.
package struct ServerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let status: Int
    /// The protocol's error code. It is empty if the answer has none, such as that of a proxy, or if the protocol does
    /// not define the code for this status.
    package let code: String
    /// The server's message, for a log.
    package let detail: String
    /// The pause that the server asks for in `Retry-After`, in seconds; `nil` if it asks for none.
    package let retryAfter: Double?
    /// The URL of a web page for the user; `nil` if there is none.
    package let link: String?
    /// The changes that the server refuses with the code `outbox-closed`, as indices in the push.
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
        guard let root, let known = ServerProblem.known(root[BodyMember.code]?.string, with: status) else {
            code = ""
            detail = "what answered with \(status) is not the server, or says what the protocol does not have"
            link = nil
            changes = []
            return
        }
        code = known.rawValue
        detail = String(
            (root[BodyMember.detail]?.string ?? root[BodyMember.title]?.string ?? "").prefix(
                PushResult.detailMaxCharacters))
        link = root[BodyMember.link]?.string.flatMap { ServerProblem.isPage($0) ? $0 : nil }
        changes = root[BodyMember.changes]?.elements?.compactMap { $0.int64.flatMap { Int(exactly: $0) } } ?? []
    }

    package var description: String { "The server answered \(status) \(code): \(detail)" }

    /// The error code as one that the protocol defines; `nil` if `code` is empty, as for an answer of a proxy.
    var known: ProblemCode? { ProblemCode(rawValue: code) }

    /// Returns the code if the protocol defines it for this status and for requests of a device; `nil` otherwise. After
    /// an unknown code, such as one of a newer server, the device only tries again later.
    private static func known(_ code: String?, with status: Int) -> ProblemCode? {
        guard let code = code.flatMap(ProblemCode.init(rawValue:)), code.status == status, !code.isOfSharing else {
            return nil
        }
        return code
    }

    private static func isProblem(_ contentType: String?) -> Bool {
        contentType?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
            == MediaType.problem
    }

    /// True if the text is a web address (http or https) that an app may open without further checks.
    private static func isPage(_ link: String) -> Bool {
        guard link.utf8.count <= ServerAnswer.cursorMaxBytes, let scheme = URL(string: link)?.scheme?.lowercased()
        else {
            return false
        }
        return ["http", "https"].contains(scheme)
    }
}

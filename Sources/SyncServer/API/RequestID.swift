import HTTPServer
import WireFormats

/// The identifier of one request, shared with the proxies before the server: in the log, and in `X-Request-Id` of the
/// response.
struct RequestID: Sendable {
    let text: String
    /// The id of the trace that the request belongs to, from `traceparent` (W3C Trace Context, version 00).
    let trace: String?

    /// The id of the request that this task works on, for all lines logged meanwhile.
    @TaskLocal static var current: RequestID?

    /// The accepted lengths of a client's id, in characters: sixteen bytes in hexadecimal, with or without hyphens, as
    /// proxies make them. Any other text from a client is replaced, because it may reveal more than the client should.
    private static let lengths = 16...36

    init(_ request: HTTPRequest) {
        let stated = request.headers[HeaderName.requestID] ?? ""
        let isTaken =
            RequestID.lengths.contains(stated.utf8.count)
            && stated.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isHexadecimal(inAnyCase: true) }
        text = isTaken ? stated : ID.random().description
        trace = request.headers["traceparent"].flatMap { RequestID.trace($0) }
    }

    /// Returns the trace id in a `traceparent` header of version 00: `00`, a trace id of 32 hexadecimal digits, a
    /// parent id of 16 and flags of 2, in lower case. Returns `nil` for any other form, and if either id is all zeros.
    private static func trace(_ header: String) -> String? {
        let parts = header.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts.map(\.utf8.count) == [2, 32, 16, 2], parts[0] == "00",
            parts.allSatisfy({ $0.utf8.allSatisfy { $0.isHexadecimal(inAnyCase: false) } }),
            parts[1...2].allSatisfy({ $0.contains { $0 != "0" } })
        else { return nil }
        return String(parts[1])
    }
}

extension UInt8 {
    fileprivate func isHexadecimal(inAnyCase: Bool) -> Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        case UInt8(ascii: "A")...UInt8(ascii: "F"): inAnyCase
        default: false
        }
    }
}

/// An error response as RFC 9457 `application/problem+json`: a status, a stable `code` for programs, and a text for
/// people.
///
/// An example: `{"type":"about:blank","title":"…","status":413,"code":"too-large","detail":"…"}`. The static members
/// are all the problems that this target itself returns; an application defines further values of this type.
package struct Problem: Error, Sendable {
    package var status: Int
    /// A stable, lower-case, hyphenated code that clients switch on.
    package var code: String
    /// The title, the same for every occurrence of the code.
    package var title: String
    /// A description of this occurrence for people. It never quotes the request's headers.
    package var detail: String?
    /// Additional members of the JSON object, each with its name and its value, which is already encoded as JSON.
    package var extensions: [(name: String, json: String)] = []
    /// Headers added to the response, such as `Retry-After`.
    package var headers: HTTPHeaders = [:]

    package init(
        status: Int, code: String, title: String, detail: String? = nil,
        extensions: [(name: String, json: String)] = [], headers: HTTPHeaders = [:]
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.extensions = extensions
        self.headers = headers
    }

    package var response: HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/problem+json"
        return HTTPResponse(status: status, headers: headers, body: Array(json.utf8))
    }

    private var json: String {
        var text = #"{"type":"about:blank","title":\#(Self.quoted(title)),"status":\#(status)"#
        text += #","code":\#(Self.quoted(code))"#
        if let detail { text += #","detail":\#(Self.quoted(detail))"# }
        for member in extensions { text += ",\(Self.quoted(member.name)):\(member.json)" }
        return text + "}"
    }

    /// Returns `text` as a JSON string (RFC 8259 section 7).
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1F}":
                let hex = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Problem {
    /// 400: the request cannot be understood.
    package static func malformed(_ detail: String) -> Problem {
        Problem(status: 400, code: "malformed", title: "The request cannot be understood", detail: detail)
    }

    /// 408: the request did not arrive within `Limits.receiveTimeout`.
    package static let timeout = Problem(
        status: 408, code: "timeout", title: "The request took too long to arrive", headers: ["Connection": "close"])

    /// 411: the body is sent in chunks, and not with a `Content-Length`.
    package static let lengthRequired = Problem(
        status: 411, code: "length-required", title: "The request needs a Content-Length",
        detail: "Transfer-Encoding is not taken: send the body's length before it.")

    /// 413: the body exceeds a limit, and `detail` names the limit.
    package static func tooLarge(_ detail: String) -> Problem {
        Problem(status: 413, code: "too-large", title: "The request body is too large", detail: detail)
    }

    /// 415: the body's `Content-Encoding` is not supported. The response lists the supported ones in `Accept-Encoding`
    /// (RFC 9110 section 15.5.16).
    package static let unsupportedEncoding = Problem(
        status: 415, code: "unsupported-encoding", title: "The request body's Content-Encoding is not supported",
        headers: ["Accept-Encoding": "zstd, gzip, identity"])

    /// 431: request line and header lines are over `Limits.headersSizeMaxBytes`.
    package static let headersTooLarge = Problem(
        status: 431, code: "headers-too-large", title: "The request's headers are too large")

    /// 500: the application returned a response that cannot be sent, such as one with a line break in a header's value.
    package static let unsendable = Problem(
        status: 500, code: "internal", title: "The server could not form its answer")

    /// 505: the request's version of HTTP is neither 1.0 nor 1.1.
    package static let versionNotSupported = Problem(
        status: 505, code: "http-version-not-supported", title: "The version of HTTP is not supported",
        detail: "Send HTTP/1.1.")

    /// 413: an unauthenticated client may not send a body.
    static let bodyNotTaken = Problem.tooLarge("This path takes no body.")

    /// 503: a limit on simultaneous work is reached, and `detail` names the limit. The client may retry in a second.
    package static func overloaded(_ detail: String) -> Problem {
        Problem(
            status: 503, code: "overloaded", title: "The server is busy", detail: detail, headers: ["Retry-After": "1"])
    }

    /// 503: the limit of open streams is reached. The client should wait before a retry, because streams stay open for
    /// a long time.
    static func tooManyStreams(_ excess: FairShare<Holder>.Excess, _ limits: HTTPServer.Limits) -> Problem {
        var problem = overloaded(
            excess == .share
                ? "You have \(limits.streamsPerHolderMax) streams open, which is the limit for one subject."
                : "As many streams are open as this server has room for.")
        problem.headers["Retry-After"] = "30"
        return problem
    }

    static func tooManyRequests(_ excess: FairShare<Holder>.Excess, _ limits: HTTPServer.Limits) -> Problem {
        overloaded(
            excess == .share
                ? "\(limits.inFlightPerHolderMax) requests of yours are under way, which is the limit for one subject."
                : "\(limits.inFlightMax) requests are under way, which is the server's limit.")
    }

    static func tooManyBytes(_ excess: FairShare<Holder>.Excess, _ limits: HTTPServer.Limits) -> Problem {
        overloaded(
            excess == .share
                ? "Bodies of yours hold \(limits.bufferedPerHolderMaxBytes) bytes, which is the limit for one subject."
                : "Bodies hold \(limits.bufferedSizeMaxBytes) bytes, which is the server's limit.")
    }

    static func tooManyUnread(_ excess: FairShare<Holder>.Excess, _ limits: HTTPServer.Limits) -> Problem {
        overloaded(
            excess == .share
                ? "Answers to you that you have not read hold \(limits.bufferedPerHolderMaxBytes) bytes, which is the "
                    + "limit for one subject. What a push said has been stored; send it again."
                : "Answers that nobody has read hold \(limits.bufferedSizeMaxBytes) bytes, which is the server's limit."
        )
    }

    static func turnTooLate(_ limits: HTTPServer.Limits) -> Problem {
        overloaded("Other requests of yours took \(limits.turnWaitMax.components.seconds) s.")
    }
}

/// The response that the application returns. The server adds `Date`, `Content-Length` and `Connection`, and may
/// compress the body.
package struct HTTPResponse: Sendable {
    /// The content that follows the headers.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A stream, such as server-sent events, sent as it is produced until it ends; never compressed. The connection
        /// is then closed. A HEAD request gets the headers alone.
        case stream(HTTPBodyStream)
    }

    /// The status code, 200 to 599 (RFC 9110 section 15).
    package var status: Int
    package var headers: HTTPHeaders
    package var body: Body

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.init(status: status, headers: headers, body: .bytes(body))
    }

    package init(status: Int, headers: HTTPHeaders = [:], body: Body) {
        precondition((200...599).contains(status), "an HTTP response has a final status, not \(status)")
        self.status = status
        self.headers = headers
        self.body = body
    }
}

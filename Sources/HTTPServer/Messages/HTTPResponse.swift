/// What `respond` answers. `Date`, `Content-Length`, `Connection` and the coding of the body are the server's.
package struct HTTPResponse: Sendable {
    /// The content that follows the headers.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Sent as it comes until it ends, such as server-sent events; never compressed. After it the connection is
        /// closed. A HEAD gets the headers alone.
        case stream(HTTPBodyStream)
    }

    /// 200 to 599 (RFC 9110 section 15).
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

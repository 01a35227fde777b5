internal import CMicroHTTPD
internal import Glibc

/// A libmicrohttpd response. The value owns one reference to the response; queueing adds another, which libmicrohttpd
/// owns (manual, section "Response references").
struct OutgoingResponse: ~Copyable {
    // The server frames and dates responses itself.
    private static let ownHeaders = ["Content-Length", "Transfer-Encoding", "Date"]

    private let raw: OpaquePointer

    /// Creates a response with a copy of `bytes` as its body; `nil` if there is no memory.
    init?(bytes: [UInt8]) {
        let raw = bytes.withUnsafeBytes {
            // MHD_RESPMEM_MUST_COPY: "the data may be released anytime after this call returns", so it is only read.
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let raw else { return nil }
        self.raw = raw
    }

    deinit {
        MHD_destroy_response(raw)
    }

    /// Adds the headers, except those that the server sets itself. Returns false if a name or value cannot be sent,
    /// such as one with a line break.
    func add(_ headers: HTTPHeaders) -> Bool {
        headers.allSatisfy { field in
            Self.ownHeaders.contains { $0.equalsIgnoringASCIICase(field.name) }
                || MHD_add_response_header(raw, field.name, field.value) == .YES
        }
    }

    /// Queues the response on the connection. Returns false if libmicrohttpd refuses it.
    func queue(status: Int, on connection: OpaquePointer) -> Bool {
        MHD_queue_response(connection, UInt32(status), raw) == .YES
    }
}

extension HTTPResponse {
    /// The whole response as bytes, for writing directly to a socket before closing it. Only for bodies of bytes, not
    /// for streams.
    var lastWords: [UInt8] {
        guard case .bytes(let body) = body else { preconditionFailure("last words are not streamed") }
        return Array("\(headText)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n".utf8) + body
    }

    /// The status line and headers of a response whose body ends when the connection is closed; every version of HTTP
    /// allows such a body (RFC 9112 section 6.3). `nil` if a header cannot be sent, such as one with a line break.
    var streamHead: [UInt8]? {
        let isSendable = headers.allSatisfy { field in
            !"\(field.name)\(field.value)".unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" }
        }
        return isSendable ? Array("\(headText)Date: \(Self.date)\r\nConnection: close\r\n\r\n".utf8) : nil
    }

    private var headText: String {
        let reason = MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? ""
        var text = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in headers where !field.name.equalsIgnoringASCIICase("Connection") {
            text += "\(field.name): \(field.value)\r\n"
        }
        return text
    }

    /// The current time in the format of RFC 9110 section 5.6.7.
    private static var date: String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            let count = strftime(text.baseAddress!, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: UnsafeRawBufferPointer(text).prefix(count), as: UTF8.self)
        }
    }
}

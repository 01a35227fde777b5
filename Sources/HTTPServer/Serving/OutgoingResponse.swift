internal import CMicroHTTPD

/// Owns one reference to a libmicrohttpd response; queueing takes another (manual, section "Response references").
struct OutgoingResponse: ~Copyable {
    // A stream's chunks are handed on in pieces of at most this: one read of it fills a few packets.
    private static let blockSizeBytes = 16 * 1024
    // The server frames and dates responses itself.
    private static let ownHeaders = ["Content-Length", "Transfer-Encoding", "Date"]

    private let raw: OpaquePointer

    /// Copies `bytes`; nil when there is no memory.
    init?(bytes: [UInt8]) {
        let raw = bytes.withUnsafeBytes {
            // MHD_RESPMEM_MUST_COPY: "the data may be released anytime after this call returns", so it is only read.
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let raw else { return nil }
        self.raw = raw
    }

    /// Reads from `pipe`, and ends it when the response is gone; nil when there is no memory.
    ///
    /// - Parameter isHead: libmicrohttpd 0.9.75 would send the last chunk after the headers that answer HEAD, and put
    ///   the connection out of step; so it is closed instead.
    init?(reading pipe: BodyPipe, isHead: Bool) {
        let context = Unmanaged.passRetained(pipe)
        let raw = MHD_create_response_from_callback(
            mhd_size_unknown, Self.blockSizeBytes,
            { context, _, buffer, max in
                guard let context, let buffer else { return mhd_end_of_stream }
                return Unmanaged<BodyPipe>.fromOpaque(context).takeUnretainedValue()
                    .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: max))
            },
            context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<BodyPipe>.fromOpaque(context).takeRetainedValue().end()
            })
        guard let raw else {
            context.release()
            return nil
        }
        if isHead { mhd_set_unframed(raw) }
        self.raw = raw
    }

    deinit {
        MHD_destroy_response(raw)
    }

    /// False when a name or value cannot be sent, such as one with a line break.
    func add(_ headers: HTTPHeaders) -> Bool {
        headers.allSatisfy { field in
            Self.ownHeaders.contains { $0.equalsIgnoringASCIICase(field.name) }
                || MHD_add_response_header(raw, field.name, field.value) == .YES
        }
    }

    /// False when the connection takes no response any more.
    func queue(status: Int, on connection: OpaquePointer) -> Bool {
        MHD_queue_response(connection, UInt32(status), raw) == .YES
    }
}

extension HTTPResponse {
    /// The whole response as it goes over the wire before a close. Only for bodies of bytes.
    var lastWords: [UInt8] {
        guard case .bytes(let body) = body else { preconditionFailure("last words are not streamed") }
        let reason = MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? ""
        var text = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in headers where field.name != "Connection" { text += "\(field.name): \(field.value)\r\n" }
        text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + body
    }
}

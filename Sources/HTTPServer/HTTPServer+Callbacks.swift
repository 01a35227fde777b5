internal import CMicroHTTPD
internal import Glibc

// The C callbacks: each finds its objects in the pointers that libmicrohttpd keeps, and calls one method.
extension HTTPServer {
    // Room for body chunks and response headers beside the request's own headers; libmicrohttpd's default is 32 KiB.
    private static let connectionMemoryExtraBytes = 16 * 1024
    // Growth of the receive buffer; libmicrohttpd's default of 1 KiB makes eight times the calls for a body.
    private static let connectionMemoryIncrementBytes = 8 * 1024

    /// Starts the daemon with this server as the callbacks' closure, retained until `shutDown`; nil with `errno` set.
    func startDaemon(on address: SocketAddress) -> OpaquePointer? {
        let limits = configuration.limits
        var settings = mhd_settings()
        settings.is_ipv6 = address.isIPv6 ? 1 : 0
        settings.threads = CUnsignedInt(configuration.threads)
        // The library divides its own limit among its threads and stalls at it, so ours is checked first.
        settings.connections_max = CUnsignedInt(2 * limits.connectionsMax * configuration.threads)
        settings.per_address_max = CUnsignedInt(limits.connectionsPerAddressMax ?? 0)
        settings.idle_seconds = CUnsignedInt(max(1, limits.idleTimeout.components.seconds + 1))
        settings.memory_bytes = CUnsignedInt(2 * limits.headersSizeMaxBytes + Self.connectionMemoryExtraBytes)
        settings.memory_increment_bytes = CUnsignedInt(Self.connectionMemoryIncrementBytes)
        settings.accept = { closure, _, _ in HTTPServer.from(closure).accepts() ? .YES : .NO }
        settings.connection = { closure, connection, context, code in
            guard let connection, let context else { return }
            if code == .CONNECTION_NOTIFY_STARTED {
                context.pointee = HTTPServer.from(closure).opened(connection)
            } else if let opened = context.pointee {
                context.pointee = nil
                HTTPServer.from(closure).closed(Unmanaged<Connection>.fromOpaque(opened).takeRetainedValue())
            }
        }
        settings.request_line = { _, target, connection in
            guard let target, let connection else { return nil }
            let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
            Connection.from(connection).begin(target: Array(bytes))
            return nil
        }
        // Targets stay as sent: decoding and checking are ours.
        settings.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
        settings.request = { closure, connection, _, method, version, part, partSize, context in
            guard let connection, let method, let version, let partSize, let context else { return .NO }
            let server = HTTPServer.from(closure)
            guard let known = context.pointee else {
                let target = Connection.from(connection).target
                let exchange = server.begin(
                    connection, line: RequestLine(target: target, method: method, version: version))
                context.pointee = Unmanaged.passRetained(exchange).toOpaque()
                return server.proceedEarly(exchange, on: connection) ? .YES : .NO
            }
            let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
            guard partSize.pointee > 0 else { return server.proceed(exchange, on: connection) ? .YES : .NO }
            let bytes = UnsafeRawBufferPointer(start: part, count: partSize.pointee)
            partSize.pointee = 0
            return server.receive(bytes, for: exchange) ? .YES : .NO
        }
        settings.completed = { closure, _, context, _ in
            guard let context, let known = context.pointee else { return }
            context.pointee = nil
            HTTPServer.from(closure).completed(Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue())
        }
        let retained = Unmanaged.passRetained(self)
        settings.closure = retained.toOpaque()
        let daemon = address.withPointer { pointer in
            settings.address = pointer
            return mhd_start(&settings)
        }
        if daemon == nil {
            let code = errno
            retained.release()
            errno = code
        }
        return daemon
    }

    private static func from(_ closure: UnsafeMutableRawPointer?) -> HTTPServer {
        guard let closure else { preconditionFailure("libmicrohttpd gives back the closure it was given") }
        return Unmanaged<HTTPServer>.fromOpaque(closure).takeUnretainedValue()
    }
}

extension Connection {
    /// The one stored when the connection was opened.
    static func from(_ connection: OpaquePointer) -> Connection {
        guard let context = mhd_socket_context(connection) else {
            preconditionFailure("libmicrohttpd gives back the context it was given")
        }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
    }
}

extension HTTPHeaders {
    /// A request's header lines; trailers are not among them.
    init(of connection: OpaquePointer) {
        self.init()
        withUnsafeMutablePointer(to: &self) { headers in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    guard let context, let name else { return .YES }
                    context.assumingMemoryBound(to: HTTPHeaders.self).pointee.add(
                        String(cBytes: name, count: nameSize), value.map { String(cBytes: $0, count: valueSize) } ?? "")
                    return .YES
                }, headers)
        }
    }
}

extension String {
    fileprivate init(cBytes: UnsafePointer<CChar>, count: Int) {
        self.init(decoding: UnsafeRawBufferPointer(start: cBytes, count: count), as: UTF8.self)
    }
}

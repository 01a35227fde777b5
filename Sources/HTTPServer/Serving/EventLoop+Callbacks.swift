internal import CMicroHTTPD
internal import Glibc

// The C callbacks: each finds its objects in the pointers that libmicrohttpd keeps, and calls one method.
extension EventLoop {
    // Growth of the receive buffer; libmicrohttpd's default of 1 KiB makes eight times the calls for a body.
    private static let connectionMemoryIncrementBytes = 8 * 1024

    /// Starts a libmicrohttpd daemon whose callbacks get this loop as their context; the loop must outlive the daemon.
    /// Returns `nil` with `errno` set on failure.
    func startDaemon(on listener: ListeningSocket) -> OpaquePointer? {
        let limits = server.configuration.limits
        var settings = mhd_settings()
        settings.listener = listener.descriptor
        settings.is_ipv6 = listener.isIPv6 ? 1 : 0
        // The library stops accepting at its own limit, and clients hang. The server's limit is lower and refuses.
        settings.connections_max = CUnsignedInt(2 * limits.connectionsMax)
        settings.idle_seconds = CUnsignedInt(max(1, limits.idleTimeout.components.seconds + 1))
        // The second half is for libmicrohttpd's notes of each header, and for the response headers. Not more, because
        // the memory is cleared after each request.
        settings.memory_bytes = CUnsignedInt(2 * limits.headersSizeMaxBytes)
        settings.memory_increment_bytes = CUnsignedInt(Self.connectionMemoryIncrementBytes)
        settings.accept = { closure, address, _ in EventLoop.from(closure).server.accepts(address) ? .YES : .NO }
        settings.connection = { closure, connection, context, code in
            guard let connection, let context else { return }
            if code == .CONNECTION_NOTIFY_STARTED {
                context.pointee = EventLoop.from(closure).server.opened(connection)
            } else if let opened = context.pointee {
                context.pointee = nil
                EventLoop.from(closure).server.closed(Unmanaged<Connection>.fromOpaque(opened).takeRetainedValue())
            }
        }
        settings.request_line = { _, target, connection in
            guard let target, let connection else { return nil }
            let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
            Connection.from(connection).begin(target: Array(bytes))
            // The server parses the query itself.
            mhd_hide_query(target)
            return nil
        }
        // Targets stay as sent, because the server decodes and checks them itself.
        settings.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
        settings.request = { closure, connection, _, method, version, part, partSize, context in
            guard let connection, let method, let version, let partSize, let context else { return .NO }
            let loop = EventLoop.from(closure)
            let server = loop.server
            guard let known = context.pointee else {
                let target = Connection.from(connection).target
                let exchange = server.begin(
                    connection, on: loop, line: RequestLine(target: target, method: method, version: version),
                    section: HeaderSection(of: connection, method: method, version: version))
                context.pointee = Unmanaged.passRetained(exchange).toOpaque()
                // A request without a body is handled only when it is complete, because an answer now costs the
                // connection.
                return !exchange.isAnsweredBeforeBody || server.proceed(exchange, on: connection) ? .YES : .NO
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
            EventLoop.from(closure).server.completed(Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue())
        }
        settings.closure = Unmanaged.passUnretained(self).toOpaque()
        return mhd_start(&settings)
    }

    private static func from(_ closure: UnsafeMutableRawPointer?) -> EventLoop {
        guard let closure else { preconditionFailure("libmicrohttpd gives back the closure it was given") }
        return Unmanaged<EventLoop>.fromOpaque(closure).takeUnretainedValue()
    }
}

extension Connection {
    /// Returns the `Connection` that was stored with a libmicrohttpd connection at the start of the connection.
    static func from(_ connection: OpaquePointer) -> Connection {
        guard let context = mhd_socket_context(connection) else {
            preconditionFailure("libmicrohttpd gives back the context it was given")
        }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
    }
}

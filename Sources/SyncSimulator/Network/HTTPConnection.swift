import Glibc

/// A blocking HTTP/1.1 client over one loopback connection. It sends any bytes, also a part of a request. Between
/// sending and reading the reply, the caller may do something else, such as sending on another connection or ending the
/// server. Use it on a `BlockingQueue`, because it blocks its thread.
package final class HTTPConnection {
    /// A reason why no reply was received.
    package enum Failure: Error {
        case connect(Int32)
        /// No part of the reply arrived within `patienceSeconds`.
        case silence
        /// The connection ended before the reply was complete.
        case closed
        case malformedReply(String)
    }

    let port: Int
    private var socket: CInt?
    private var buffer: [UInt8] = []
    private var lastUsed = ContinuousClock.now

    /// The longest wait for a reply, in seconds. No reply of a working server takes as long.
    private static let patienceSeconds = 180
    /// The longest idle time after which a connection is used again. The server closes a connection after 65 s without
    /// a request, and a request must not arrive just then.
    private static let idleMax = Duration.seconds(30)

    package init(port: Int) {
        self.port = port
    }

    deinit {
        if let socket { Glibc.close(socket) }
    }

    /// Returns the bytes of a request. The headers `Host` and, if there is a body, `Content-Length` are added.
    package static func request(
        _ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil
    ) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: test\r\n"
        for header in headers { head += header + "\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }

    /// Sends `bytes` unchanged, and reads the reply. After a failure, the next request uses a new connection.
    ///
    /// - Parameter hasBody: false if only the head of the reply is to be read.
    package func exchange(_ bytes: [UInt8], hasBody: Bool = true) throws(Failure) -> HTTPReply {
        try send(bytes)
        return try receive(hasBody: hasBody)
    }

    /// Sends `bytes` without waiting for a reply. A failure to connect is thrown, but a failure to send is not: the
    /// server may refuse a request before it has read all of it, and its reply tells the reason.
    package func send(_ bytes: [UInt8]) throws(Failure) {
        if ContinuousClock.now - lastUsed > HTTPConnection.idleMax { close() }
        lastUsed = .now
        let socket = try connected()
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    package func receive(hasBody: Bool = true) throws(Failure) -> HTTPReply {
        do throws(Failure) {
            let reply = try readReply(hasBody: hasBody)
            if reply["connection"]?.lowercased() == "close" { close() }
            return reply
        } catch {
            close()
            throw error
        }
    }

    /// Reads the status line and headers of a reply. The caller then reads the body line by line with `receiveLine`.
    package func receiveHead() throws(Failure) -> HTTPReply {
        guard let socket else { throw .closed }
        return try readHead(from: socket)
    }

    /// Reads the next line of the reply's body, and returns it without its line break.
    package func receiveLine() throws(Failure) -> String {
        guard let socket else { throw .closed }
        return String(decoding: try take(through: Array("\n".utf8), from: socket).dropLast(), as: UTF8.self)
    }

    package func close() {
        if let socket { Glibc.close(socket) }
        socket = nil
        buffer = []
    }

    private func connected() throws(Failure) -> CInt {
        if let socket { return socket }
        let new = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: HTTPConnection.patienceSeconds, tv_usec: 0)
        setsockopt(new, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(new, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var one: CInt = 1
        setsockopt(new, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(new, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let reason = errno
            Glibc.close(new)
            throw .connect(reason)
        }
        socket = new
        return new
    }

    private func readReply(hasBody: Bool) throws(Failure) -> HTTPReply {
        guard let socket else { throw .closed }
        var reply = try readHead(from: socket)
        if !hasBody || reply.status == 204 { return reply }
        if reply["transfer-encoding"] == "chunked" {
            while true {
                let line = String(
                    decoding: try take(through: Array("\r\n".utf8), from: socket).dropLast(2), as: UTF8.self)
                guard let count = Int(line, radix: 16) else { throw .malformedReply(line) }
                reply.body += try take(count, from: socket)
                _ = try take(2, from: socket)
                if count == 0 { return reply }
            }
        }
        reply.body = try take(reply["content-length"].flatMap { Int($0) } ?? 0, from: socket)
        return reply
    }

    private func readHead(from socket: CInt) throws(Failure) -> HTTPReply {
        let head = String(decoding: try take(through: Array("\r\n\r\n".utf8), from: socket), as: UTF8.self)
        guard let reply = HTTPReply(head: head) else { throw .malformedReply(head) }
        return reply
    }

    private func take(_ count: Int, from socket: CInt) throws(Failure) -> [UInt8] {
        while buffer.count < count { try fill(from: socket) }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func take(through mark: [UInt8], from socket: CInt) throws(Failure) -> [UInt8] {
        var searched = 0
        while true {
            for start in searched..<max(searched, buffer.count - mark.count + 1)
            where buffer[start...].starts(with: mark) {
                return try take(start + mark.count, from: socket)
            }
            searched = max(0, buffer.count - mark.count + 1)
            try fill(from: socket)
        }
    }

    private func fill(from socket: CInt) throws(Failure) {
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(socket, &part, part.count, 0)
        guard count > 0 else { throw count < 0 && errno == EAGAIN ? .silence : .closed }
        buffer += part[..<count]
    }
}

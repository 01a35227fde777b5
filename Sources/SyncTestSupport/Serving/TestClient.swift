import Glibc
import PGStore

/// A blocking HTTP/1.1 client over one loopback connection, on a thread of its own. It sends whatever bytes it is
/// given, malformed or not.
package actor TestClient {
    /// Why there is no reply.
    package enum Failure: Error {
        case connect(Int32)
        /// Nothing came for as long as `patienceSeconds`.
        case silence
        /// The connection ended before the reply was whole.
        case closed
        case malformedReply(String)
    }

    private let queue = BlockingQueue(label: "test-client")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let port: Int
    private var socket: CInt?
    private var buffer: [UInt8] = []

    /// Only a failure waits this long.
    private static let patienceSeconds = 180

    package init(port: Int) {
        self.port = port
    }

    deinit {
        if let socket { close(socket) }
    }

    /// A request with `Host` and, where there is a body, `Content-Length`.
    package func request(
        _ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil
    ) throws(Failure) -> TestReply {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: test\r\n"
        for header in headers { head += header + "\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return try exchange(Array((head + "\r\n").utf8) + (body ?? []), hasBody: method != "HEAD")
    }

    /// Sends `bytes` as they are and reads the reply. A connection that fails is not used again.
    package func exchange(_ bytes: [UInt8], hasBody: Bool = true) throws(Failure) -> TestReply {
        do throws(Failure) {
            let socket = try connected()
            // The server may refuse before it has read all, so that only reading tells what became of it.
            _ = send(bytes, to: socket)
            let reply = try reply(hasBody: hasBody, from: socket)
            if reply["connection"]?.lowercased() == "close" { disconnect() }
            return reply
        } catch {
            disconnect()
            throw error
        }
    }

    package func disconnect() {
        if let socket { close(socket) }
        socket = nil
        buffer = []
    }

    private func connected() throws(Failure) -> CInt {
        if let socket { return socket }
        let new = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
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
            close(new)
            throw .connect(reason)
        }
        socket = new
        return new
    }

    private func send(_ bytes: [UInt8], to socket: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func reply(hasBody: Bool, from socket: CInt) throws(Failure) -> TestReply {
        let head = String(decoding: try take(through: Array("\r\n\r\n".utf8), from: socket), as: UTF8.self)
        guard var reply = TestReply(head: head) else { throw .malformedReply(head) }
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

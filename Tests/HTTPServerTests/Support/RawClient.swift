import Glibc

/// A blocking HTTP/1.1 client over a loopback socket that shows the bytes on the wire. Use it inside `offPool`.
final class RawClient {
    enum Failure: Error {
        case connect(Int32)
        /// Nothing was received within the time limit.
        case deadline
        /// The server closed the connection in the middle of a message.
        case closed(received: [UInt8])
        case reset
        case malformed(String)
    }

    struct Reply: Equatable {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// The time limit in seconds: a hanging server must end the test, but not a response that waits behind all other
    /// tests on two cores.
    static let patienceSeconds = 180

    private let socket: CInt
    private var buffer: [UInt8] = []

    /// - Parameter patienceSeconds: the time limit for each step.
    init(
        port: Int, receiveBufferBytes: CInt? = nil, patienceSeconds: Int = RawClient.patienceSeconds
    ) throws {
        // Programs that other tests start must not inherit the socket: while they hold a copy, our close has no effect.
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        socket = Glibc.socket(AF_INET, type, 0)
        var limit = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        limit.tv_sec = 10
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBufferBytes { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes, 4) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // The socket is closed by deinit, which runs for this throw, too, because every property is set.
        guard status == 0 else { throw Failure.connect(errno) }
    }

    deinit { close(socket) }

    /// Sends all bytes. Returns false if the server does not accept them.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a request with `Host` and, if there is a body, `Content-Length`, and reads the response.
    func request(_ line: String, headers: [String] = [], body: [UInt8]? = nil) throws -> Reply {
        var head = "\(line) HTTP/1.1\r\nHost: test\r\n"
        for header in headers { head += header + "\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        send(Array((head + "\r\n").utf8) + (body ?? []))
        return try reply(hasBody: !line.hasPrefix("HEAD "))
    }

    /// Reads the next response; interim ones count.
    func reply(hasBody: Bool = true) throws -> Reply {
        let head = String(decoding: try take(through: Array("\r\n\r\n".utf8)), as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Failure.malformed(head)
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Failure.malformed(head) }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        var reply = Reply(status: status, headers: headers, body: [])
        if !hasBody || status < 200 || status == 204 || status == 304 { return reply }
        if headers["transfer-encoding"] == "chunked" {
            while let chunk = try chunk() { reply.body += chunk }
        } else if let length = headers["content-length"].flatMap({ Int($0) }) {
            reply.body = try take(length)
        } else {
            reply.body = try readToEnd()
        }
        return reply
    }

    /// Reads the headers of a response whose body is read piece by piece afterwards.
    func streamHead() throws -> String {
        String(decoding: try take(through: Array("\r\n\r\n".utf8)), as: UTF8.self)
    }

    /// Reads the next bytes of a body.
    func text(_ count: Int) throws -> String {
        String(decoding: try take(count), as: UTF8.self)
    }

    /// Reads the next chunk of a chunked response; `nil` for the last.
    private func chunk() throws -> [UInt8]? {
        let line = String(decoding: try take(through: Array("\r\n".utf8)).dropLast(2), as: UTF8.self)
        guard let count = Int(line, radix: 16) else { throw Failure.malformed(line) }
        let bytes = try take(count)
        _ = try take(2)
        return count == 0 ? nil : bytes
    }

    /// Reads until the server closes the connection.
    func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Ends the sending side of the connection, and keeps reading.
    func finishSending() { shutdown(socket, CInt(SHUT_WR)) }

    /// Reads up to the end of `mark`, and skips everything before it.
    func readPast(_ mark: String) throws {
        _ = try take(through: Array(mark.utf8))
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Failure.closed(received: buffer) }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func take(through mark: [UInt8]) throws -> [UInt8] {
        var searched = 0
        while true {
            if buffer.count >= mark.count {
                for start in searched...(buffer.count - mark.count) where buffer[start...].starts(with: mark) {
                    return try take(start + mark.count)
                }
                searched = buffer.count - mark.count
            }
            guard try fill() else { throw Failure.closed(received: buffer) }
        }
    }

    /// Reads further bytes. Returns false at the end of the stream.
    private func fill() throws -> Bool {
        var part = [UInt8](repeating: 0, count: 256 * 1024)
        let count = recv(socket, &part, part.count, 0)
        if count < 0 { throw errno == EAGAIN ? Failure.deadline : Failure.reset }
        buffer += part[..<count]
        return count > 0
    }
}

extension RawClient {
    /// Sends a byte every few milliseconds from another thread until `read` has returned.
    func drip<Value>(until read: () throws -> Value) throws -> Value {
        let dripper = Dripper(socket: dup(socket))
        defer { dripper.stop() }
        return try read()
    }
}

extension RawClient {
    /// Returns a port on which nobody listens at the moment.
    static func unusedPort() throws -> Int {
        let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, size) == 0 ? getsockname(socket, pointer, &size) : -1
            }
        }
        guard status == 0 else { throw Failure.connect(errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

import Foundation
import Glibc
import Synchronization

/// A server between devices and the real one that may answer with anything: a captive portal, a broken proxy, an
/// attacker. Each connection carries one request.
final class LyingServer: Sendable {
    /// A request as received.
    struct Request: Sendable {
        let bytes: [UInt8]

        /// The first line of the request.
        var line: String {
            String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        }
        var isPush: Bool { line.hasPrefix("POST") }
        var isStream: Bool { line.contains("/events") }
        var body: String { String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n").last ?? "" }
    }

    /// The response instead of the server's.
    enum Answer: Sendable {
        /// Sends these bytes, and closes the connection.
        case bytes([UInt8])
        /// Sends the first bytes, and then the second again and again until the client closes the connection. After
        /// `most` times it sends nothing more and waits for that.
        case endless([UInt8], [UInt8], most: Int = .max)
        /// Forwards the server's response.
        case truth
        /// Forwards the server's response after a change.
        case altered(@Sendable ([UInt8]) -> [UInt8])
    }

    typealias Lie = @Sendable (Request) -> Answer

    let port: Int
    private let listener: CInt
    /// The real server's port; 0 for none.
    private let truth: Int
    private let lie = Mutex<Lie?>(nil)
    private let asked = Mutex<[String]>([])
    private let sent = Atomic(0)

    /// The first lines of the requests since `lie` was last called, without those of streams.
    var requests: [String] { asked.withLock { $0.filter { !$0.contains("/events") } } }
    /// The number of parts of endless responses that were read.
    var partsSent: Int { sent.load(ordering: .relaxed) }

    init(truth: Int = 0) {
        self.truth = truth
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                precondition(bind(listener, address, length) == 0 && listen(listener, 128) == 0)
                _ = getsockname(listener, address, &length)
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in accept() }
    }

    /// Closes the listening socket, which ends the thread that accepts connections.
    func close() { shutdown(listener, CInt(SHUT_RDWR)) }

    /// Answers with this from now on; `nil` for the server's responses.
    func say(_ lie: Lie?) {
        asked.withLock { $0 = [] }
        self.lie.withLock { $0 = lie }
    }

    func say(_ bytes: [UInt8]) { say { _ in .bytes(bytes) } }

    /// Returns a response with a body.
    static func answer(
        _ status: Int, _ body: String, type: String = "application/json", headers: [String] = []
    ) -> [UInt8] {
        answer(status, Array(body.utf8), type: type, headers: headers)
    }

    static func answer(_ status: Int, _ body: [UInt8], type: String, headers: [String] = []) -> [UInt8] {
        let lines = ["Content-Type: \(type)", "Content-Length: \(body.count)", "Connection: close"] + headers
        return Array("HTTP/1.1 \(status) X\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n".utf8) + body
    }

    /// Returns a problem in the protocol's form.
    static func problem(_ status: Int, _ code: String, _ more: String = "", headers: [String] = []) -> [UInt8] {
        answer(
            status, #"{"type":"about:blank","title":"x","status":\#(status),"code":"\#(code)","detail":"y"\#(more)}"#,
            type: "application/problem+json", headers: headers)
    }

    // MARK: The threads

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { break }
            Thread.detachNewThread { [self] in
                serve(client)
                Glibc.close(client)
            }
        }
        Glibc.close(listener)
    }

    private func serve(_ client: CInt) {
        guard let request = Self.request(from: client) else { return }
        asked.withLock { $0.append(request.line) }
        switch lie.withLock({ $0 })?(request) ?? .truth {
        case .bytes(let bytes): _ = Self.send(bytes, to: client)
        case .endless(let head, let part, let most):
            guard Self.send(head, to: client) else { return }
            for _ in 0..<most {
                guard Self.send(part, to: client) else { return }
                sent.add(1, ordering: .relaxed)
            }
            _ = Self.receive(client)
        case .truth: if let answer = exchange(request) { _ = Self.send(answer, to: client) }
        case .altered(let alter): if let answer = exchange(request) { _ = Self.send(alter(answer), to: client) }
        }
    }

    private static func request(from client: CInt) -> Request? {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) }
                if bytes.count >= end.upperBound + (length ?? 0) { return Request(bytes: bytes) }
            }
            guard let part = receive(client) else { return nil }
            bytes += part
        }
    }

    private func exchange(_ request: Request) -> [UInt8]? {
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(server) }
        var address = Self.loopback(truth)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let end = request.bytes.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound ?? 0
        let closing = request.bytes[..<end] + Array("\r\nConnection: close".utf8) + request.bytes[end...]
        guard truth > 0, isConnected, Self.send(Array(closing), to: server) else { return nil }
        var answer: [UInt8] = []
        while let part = Self.receive(server) { answer += part }
        return answer
    }

    private static func receive(_ socket: CInt) -> [UInt8]? {
        let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(0, recv(socket, buffer.baseAddress, buffer.count, 0))
        }
        return part.isEmpty ? nil : part
    }

    private static func send(_ bytes: [UInt8], to socket: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

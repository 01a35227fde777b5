import Glibc
import Synchronization

/// A proxy between clients and a server that behaves like an unreliable network. It loses requests, answers and parts
/// of answers, sends some requests twice, and delays some. It ends each connection after one request.
final class ChaosProxy: Sendable {
    /// The frequencies of the network's faults, each as a number of requests per thousand.
    struct Weather: Sendable {
        var lostRequests = 0
        var lostAnswers = 0
        var cutAnswers = 0
        var doubled = 0
        var delayed = 0

        static let calm = Weather()
        static let storm = Weather(lostRequests: 40, lostAnswers: 40, cutAnswers: 30, doubled: 30, delayed: 60)
    }

    /// The port of the proxy, to which clients connect.
    let port: Int
    private let listener: CInt
    private let target = Atomic<Int>(0)
    private let weather = Mutex(Weather.calm)
    private let isClosed = Atomic(false)

    private static let delayMaxMicroseconds: UInt32 = 30_000
    private static let partSize = 1 << 16
    private static let headEnd = Array("\r\n\r\n".utf8)

    init() throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(port: 0)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
        }
        guard listener >= 0, isBound, listen(listener, 128) == 0 else {
            throw ClientProcess.Misstep(description: "there is no port for a proxy")
        }
        var length = size
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        signal(SIGPIPE, SIG_IGN)
        Self.detach { self.accept() }
    }

    /// Stops the proxy: it accepts no more connections.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        shutdown(listener, CInt(SHUT_RDWR))
    }

    /// Sets the port of the server to which the proxy passes requests. If the port is 0, requests are lost.
    func lead(to port: Int) { target.store(port, ordering: .relaxed) }

    func become(_ weather: Weather) { self.weather.withLock { $0 = weather } }

    private static func detach(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body))
        pthread_create(
            &thread, nil,
            { argument in
                argument.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func accept() {
        while !isClosed.load(ordering: .relaxed) {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { break }
            Self.detach {
                self.serve(client)
                Glibc.close(client)
            }
        }
        Glibc.close(listener)
    }

    private func serve(_ client: CInt) {
        guard let request = Self.request(from: client) else { return }
        let weather = self.weather.withLock { $0 }
        func isMet(_ share: Int) -> Bool { Int.random(in: 0..<1000) < share }
        if isMet(weather.delayed) { usleep(.random(in: 0..<Self.delayMaxMicroseconds)) }
        if isMet(weather.lostRequests) { return }
        if isMet(weather.doubled) { _ = exchange(request) }
        guard let answer = exchange(request), !isMet(weather.lostAnswers) else { return }
        let end = isMet(weather.cutAnswers) ? Int.random(in: 0...answer.count) : answer.count
        Self.send(answer[..<end], to: client)
    }

    /// Reads a request with its body from a client. Its header `Connection` becomes `close`, so that the server ends
    /// the connection after its answer.
    ///
    /// Returns `nil` if the client ends the connection before the request is complete.
    private static func request(from client: CInt) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            if let head = bytes.firstRange(of: headEnd) {
                let text = String(decoding: bytes[..<head.lowerBound], as: UTF8.self)
                let lines = text.split(separator: "\r\n")
                let length =
                    lines.first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) } ?? 0
                if bytes.count >= head.upperBound + length {
                    let kept = lines.filter { !$0.lowercased().hasPrefix("connection:") }.joined(separator: "\r\n")
                    return Array("\(kept)\r\nConnection: close\r\n\r\n".utf8) + bytes[head.upperBound...]
                }
            }
            guard let part = receive(client) else { return nil }
            bytes += part
        }
    }

    private func exchange(_ request: [UInt8]) -> [UInt8]? {
        let port = target.load(ordering: .relaxed)
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(server) }
        var address = Self.loopback(port: port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard port > 0, isConnected, Self.send(request[...], to: server) else { return nil }
        var answer: [UInt8] = []
        while let part = Self.receive(server) { answer += part }
        return answer
    }

    /// Reads the next bytes of a connection; `nil` at its end.
    private static func receive(_ socket: CInt) -> [UInt8]? {
        let part = [UInt8](unsafeUninitializedCapacity: partSize) { buffer, count in
            count = max(0, recv(socket, buffer.baseAddress, buffer.count, 0))
        }
        return part.isEmpty ? nil : part
    }

    @discardableResult
    private static func send(_ bytes: ArraySlice<UInt8>, to socket: CInt) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

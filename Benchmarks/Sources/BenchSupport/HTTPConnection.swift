import Foundation

/// The bytes of a request, rendered once. Parts of a fixed width may be overwritten before each sending.
package struct Request {
    package private(set) var bytes: [UInt8]
    private let bodyStart: Int

    package init(get path: String, headers: [String] = []) {
        self.init(head: ["GET \(path) HTTP/1.1", "Host: localhost"] + headers, body: [])
    }

    package init(post path: String, headers: [String], json: String) {
        let body = Array(json.utf8)
        self.init(
            head: ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
                + ["Content-Length: \(body.count)"] + headers, body: body)
    }

    private init(head: [String], body: [UInt8]) {
        bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        bodyStart = bytes.count
        bytes += body
    }

    /// Returns the index of each occurrence of `mark` in the body.
    package func indices(of mark: String) -> [Int] {
        let mark = Array(mark.utf8)
        return (bodyStart...max(bodyStart, bytes.count - mark.count)).filter {
            $0 + mark.count <= bytes.count && bytes[$0..<$0 + mark.count].elementsEqual(mark)
        }
    }

    package mutating func overwrite(_ start: Int, with text: some Sequence<UInt8>) {
        var index = start
        for byte in text {
            bytes[index] = byte
            index += 1
        }
    }
}

/// A blocking keep-alive connection: one write, and reads until the response is complete. Costs the client very little.
package final class HTTPConnection {
    private let socket: CInt
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)

    /// A response; `body` is a range of the connection's buffer, valid until the next `send`.
    package struct Answer {
        package let status: Int
        package let body: ArraySlice<UInt8>

        package func contains(_ text: String) -> Bool {
            body.firstIndex(of: Array(text.utf8)) != nil
        }

        /// Returns the text between the last `before` and the next quotation mark.
        package func lastText(after before: String) -> String? {
            let mark = Array(before.utf8)
            let tail = body.suffix(400)
            guard let start = tail.firstIndex(of: mark).map({ $0 + mark.count }),
                let end = tail[start...].firstIndex(of: UInt8(ascii: "\""))
            else { return nil }
            return String(decoding: tail[start..<end], as: UTF8.self)
        }
    }

    package init(port: Int) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure("Nobody listens on port \(port).") }
    }

    deinit {
        close(socket)
    }

    package func send(_ request: Request) throws -> Answer {
        var sent = 0
        while sent < request.bytes.count {
            let count = request.bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress! + sent, $0.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure("The server closed the connection while it was sent a request.") }
            sent += count
        }
        return try receive()
    }

    private func receive() throws -> Answer {
        var filled = 0
        while true {
            filled += try read(at: filled)
            guard let end = buffer[..<filled].firstIndex(of: Self.blankLine) else { continue }
            let bodyStart = end + Self.blankLine.count
            let total = bodyStart + (try contentLength(in: buffer[..<end]))
            if buffer.count < total { buffer.append(contentsOf: repeatElement(0, count: total - buffer.count)) }
            while filled < total { filled += try read(at: filled) }
            let status = buffer[9..<12].reduce(0) { $0 * 10 + Int($1) - 0x30 }
            return Answer(status: status, body: buffer[bodyStart..<total])
        }
    }

    private func read(at offset: Int) throws -> Int {
        let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress! + offset, $0.count - offset, 0) }
        guard count > 0 else { throw Failure("The server closed the connection before it answered.") }
        return count
    }

    private func contentLength(in head: ArraySlice<UInt8>) throws -> Int {
        guard let index = head.firstIndex(of: Self.lengthName) else { throw Failure("An answer without a length.") }
        return head[(index + Self.lengthName.count)...].prefix { $0 != 0x0D }.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    private static let blankLine = Array("\r\n\r\n".utf8)
    private static let lengthName = Array("Content-Length: ".utf8)
}

import Testing

/// Bytes that a client may send on a new connection, and their only valid reading.
struct Framing: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let reading: Reading

    enum Reading: Sendable {
        /// These requests reach `respond`, each as method, path and body, and the connection stays open.
        case requests([String])
        /// No request reaches `respond`; the response has one of these statuses, and the connection is closed.
        case refused(Set<Int>)
        /// No request reaches `respond`, and the connection is closed without a response: there is no request line to
        /// answer, or the request does not end.
        case closed
    }

    /// - Parameter wire: the bytes; each character is one byte, the number of its Unicode scalar.
    init(_ name: String, _ wire: String, _ reading: Reading) {
        self.name = name
        bytes = wire.unicodeScalars.map { UInt8($0.value) }
        self.reading = reading
    }

    var testDescription: String { name }

    /// The only path of honest requests.
    static let path = "/target"

    /// A request that is, or may be, content, and so must never be read as a request.
    static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"

    /// The response to a malformed request, from the server or from libmicrohttpd.
    static let malformed = Reading.refused([400])
}

extension Framing {
    /// Returns a request without a body whose header section ends with `lines`, line ends included.
    static func lines(_ name: String, _ lines: String, _ reading: Reading = malformed) -> Framing {
        Framing(name, "GET \(path) HTTP/1.1\r\nHost: h\r\n\(lines)\r\n", reading)
    }

    /// Returns a request with that first line.
    static func line(_ name: String, _ line: String, _ reading: Reading = malformed) -> Framing {
        Framing(name, "\(line)\r\nHost: h\r\n\r\n", reading)
    }

    /// Returns a request with a second one as its body, framed by `lines`.
    static func content(_ name: String, _ lines: String, _ reading: Reading = malformed) -> Framing {
        Framing(name, "POST \(path) HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\(smuggled)", reading)
    }

    /// Returns a request with `Transfer-Encoding: chunked` and that body; the server demands a length for it.
    static func chunks(_ name: String, _ body: String) -> Framing {
        Framing(
            name, "POST \(path) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(body)", .refused([411]))
    }
}

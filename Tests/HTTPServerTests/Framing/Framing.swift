import Testing

/// Bytes that a client may send on a new connection, and the one way to read them.
struct Framing: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let reading: Reading

    enum Reading: Sendable {
        /// These reach `respond`, each as method, path and body, and the connection goes on.
        case requests([String])
        /// Nothing reaches `respond`; the answer has one of these statuses, and the connection is closed.
        case refused(Set<Int>)
        /// Nothing reaches `respond`, and the connection is closed without a word: there is no request line to answer,
        /// or the request does not end.
        case closed
    }

    /// - Parameter wire: each character is one byte, its Unicode scalar's number.
    init(_ name: String, _ wire: String, _ reading: Reading) {
        self.name = name
        bytes = wire.unicodeScalars.map { UInt8($0.value) }
        self.reading = reading
    }

    var testDescription: String { name }

    /// The only path of honest requests.
    static let path = "/target"

    /// What must never be taken for a request where it is, or may be, content.
    static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"

    /// What a refused request is answered with, whether by us or by libmicrohttpd.
    static let malformed = Reading.refused([400])
}

extension Framing {
    /// A request without a body whose header lines end in `lines`, which says its own line ends.
    static func lines(_ name: String, _ lines: String, _ reading: Reading = malformed) -> Framing {
        Framing(name, "GET \(path) HTTP/1.1\r\nHost: h\r\n\(lines)\r\n", reading)
    }

    /// A request with that first line.
    static func line(_ name: String, _ line: String, _ reading: Reading = malformed) -> Framing {
        Framing(name, "\(line)\r\nHost: h\r\n\r\n", reading)
    }

    /// A request with a second one where its body should be, framed by `lines`.
    static func content(_ name: String, _ lines: String, _ reading: Reading = malformed) -> Framing {
        Framing(name, "POST \(path) HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\(smuggled)", reading)
    }

    /// A request with `Transfer-Encoding: chunked` and that body, which we want a length for.
    static func chunks(_ name: String, _ body: String) -> Framing {
        Framing(
            name, "POST \(path) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(body)", .refused([411]))
    }
}

/// The path and query of a request line, decoded once and checked (RFC 9112 section 3.2, RFC 3986).
///
/// Origin form (`/a/b?c=d`), absolute form (`http://host/a`, of which scheme and authority are dropped) and `*` are
/// understood. A `%` without two hexadecimal digits, an encoded or literal NUL, and text that is not UTF-8 are refused.
package struct RequestTarget: Sendable, Equatable {
    /// One `name=value` of a query; the value is empty where there was no `=`.
    package struct QueryItem: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The path as sent, still encoded, without the query: `/v1/apps/a%2Fb`. Good for logs, not for routing.
    package let path: String
    /// The decoded segments: `["v1", "apps", "a/b"]`. `/` has none; a doubled or final slash gives an empty one.
    package let segments: [String]
    /// The decoded query in order, with `+` as a space (the form encoding of the WHATWG URL standard).
    package let query: [QueryItem]

    /// Nil when the target is malformed in one of the ways named above.
    package init?(_ target: some Collection<UInt8>) {
        let rest = Self.originForm(target)
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        guard let path = String(validating: rest[..<mark], as: UTF8.self),
            path == "*" || path.utf8.first == UInt8(ascii: "/"),
            let query = String(validating: rest[mark...].dropFirst(), as: UTF8.self)
        else { return nil }
        self.path = path

        var segments: [String] = []
        if path != "*" && path != "/" {
            for raw in Self.parts(path.dropFirst(), separator: UInt8(ascii: "/")) {
                guard let segment = Self.decoded(raw, plusIsSpace: false) else { return nil }
                segments.append(segment)
            }
        }
        self.segments = segments

        var items: [QueryItem] = []
        for raw in Self.parts(query[...], separator: UInt8(ascii: "&")) where !raw.isEmpty {
            let equals = raw.utf8.firstIndex(of: UInt8(ascii: "=")) ?? raw.endIndex
            guard let name = Self.decoded(raw[..<equals], plusIsSpace: true),
                let value = Self.decoded(Substring(raw[equals...].utf8.dropFirst()), plusIsSpace: true)
            else { return nil }
            items.append(QueryItem(name: name, value: value))
        }
        self.query = items
    }

    /// The parts between separators, empty ones too.
    private static func parts(_ text: Substring, separator: UInt8) -> [Substring] {
        var parts: [Substring] = []
        var rest = text
        while let end = rest.utf8.firstIndex(of: separator) {
            parts.append(rest[..<end])
            rest = rest[rest.utf8.index(after: end)...]
        }
        parts.append(rest)
        return parts
    }

    /// `target` without the scheme and authority of the absolute form; an empty path is `/`.
    private static func originForm(_ target: some Collection<UInt8>) -> [UInt8] {
        let whole = Array(target)
        if whole.first == UInt8(ascii: "/") { return whole }
        guard let scheme = ["http://", "https://"].first(where: { whole.starts(with: $0.utf8) }) else { return whole }
        let rest = whole.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        return rest.first == UInt8(ascii: "/") ? Array(rest) : [UInt8(ascii: "/")] + rest
    }

    /// `raw` with each `%HH` replaced by its byte; nil for a broken escape, a NUL, or bytes that are not UTF-8.
    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        let raw = text.utf8
        let isPlain = raw.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") && $0 != 0 }
        if isPlain { return String(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var iterator = raw.makeIterator()
        while let byte = iterator.next() {
            var value = byte
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next()?.hexDigit, let low = iterator.next()?.hexDigit else { return nil }
                value = high << 4 | low
            } else if byte == UInt8(ascii: "+") && plusIsSpace {
                value = 0x20
            }
            if value == 0 { return nil }
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}

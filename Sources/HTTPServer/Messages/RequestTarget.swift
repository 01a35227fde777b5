/// The path and query of a request line, decoded once and checked (RFC 9112 section 3.2, RFC 3986).
///
/// Three forms are understood: origin form (`/a/b?c=d`), absolute form (`http://host/a`, whose scheme and authority are
/// dropped) and `*`. A `%` without two hexadecimal digits, an encoded NUL, a literal control character or blank, a
/// fragment, and text that is not UTF-8 are refused.
package struct RequestTarget: Sendable, Equatable {
    /// One `name=value` of a query; the value is empty if there was no `=`.
    package struct QueryItem: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The decoded segments of the path: `["v1", "apps", "a/b"]`. The path `/` has none; a doubled or final slash gives
    /// an empty segment.
    package let segments: [String]
    /// The decoded query items, in order. `+` is read as a space (the form encoding of the WHATWG URL standard).
    package let query: [QueryItem]
    /// The path and query as sent.
    private let sent: [UInt8]

    /// The path as sent, still encoded, without the query: `/v1/apps/a%2Fb`. Use it for logs, not for routing.
    package var path: String {
        String(decoding: sent.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Parses `target`; `nil` if it is malformed, for example if it has a fragment or a broken `%` escape.
    package init?(_ target: some Collection<UInt8>) {
        let sent = Self.originForm(Array(target))
        self.sent = sent
        let bytes = sent.span
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"), from: 0) ?? bytes.count
        let path = bytes.extracting(..<mark)
        let isAsterisk = path.count == 1 && path[0] == UInt8(ascii: "*")
        guard isAsterisk || (path.count > 0 && path[0] == UInt8(ascii: "/")) else { return nil }
        // A proxy may take the text before one of these characters for the whole target.
        guard sent.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        // The whole target is checked, too, because decoding an escape may complete a sequence that was not UTF-8 as
        // sent.
        guard (try? UTF8Span(validating: bytes)) != nil else { return nil }

        var segments: [String] = []
        segments.reserveCapacity(8)
        var start = isAsterisk || path.count == 1 ? path.count + 1 : 1
        while start <= path.count {
            let end = path.firstIndex(of: UInt8(ascii: "/"), from: start) ?? path.count
            guard let segment = Self.decoded(path.extracting(start..<end), plusIsSpace: false) else { return nil }
            segments.append(segment)
            start = end + 1
        }
        self.segments = segments

        var items: [QueryItem] = []
        start = mark + 1
        while start < bytes.count {
            let end = bytes.firstIndex(of: UInt8(ascii: "&"), from: start) ?? bytes.count
            let item = bytes.extracting(start..<end)
            start = end + 1
            if item.isEmpty { continue }
            let equals = item.firstIndex(of: UInt8(ascii: "="), from: 0) ?? item.count
            guard let name = Self.decoded(item.extracting(..<equals), plusIsSpace: true),
                let value = Self.decoded(item.extracting(min(equals + 1, item.count)...), plusIsSpace: true)
            else { return nil }
            items.append(QueryItem(name: name, value: value))
        }
        query = items
    }

    /// Returns `target` without the scheme and authority of the absolute form; an empty path becomes `/`.
    private static func originForm(_ target: [UInt8]) -> [UInt8] {
        if target.first == UInt8(ascii: "/") { return target }
        guard let scheme = ["http://", "https://"].first(where: { target.starts(with: $0.utf8) }) else { return target }
        let rest = target.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        return rest.first == UInt8(ascii: "/") ? Array(rest) : [UInt8(ascii: "/")] + rest
    }

    /// Returns the text of `raw`, with each `%HH` replaced by its byte and, if `plusIsSpace`, each `+` by a space.
    /// `nil` for a broken escape, a NUL, or bytes that are not UTF-8.
    private static func decoded(_ raw: Span<UInt8>, plusIsSpace: Bool) -> String? {
        var isPlain = true
        for index in raw.indices {
            switch raw[index] {
            case 0: return nil
            case UInt8(ascii: "%"), UInt8(ascii: "+"): isPlain = false
            default: break
            }
        }
        if isPlain {
            guard let text = try? UTF8Span(validating: raw) else { return nil }
            return String(copying: text)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var index = 0
        while index < raw.count {
            var value = raw[index]
            if value == UInt8(ascii: "%") {
                guard index + 2 < raw.count, let high = raw[index + 1].hexDigit, let low = raw[index + 2].hexDigit
                else { return nil }
                value = high << 4 | low
                if value == 0 { return nil }
                index += 2
            } else if value == UInt8(ascii: "+") && plusIsSpace {
                value = 0x20
            }
            bytes.append(value)
            index += 1
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// Returns the first index of `byte` at or after `start`; `nil` if there is none.
    fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        var index = start
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
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

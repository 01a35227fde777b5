package import StrictJSON

/// Writes values in their wire form.
extension JSONWriter {
    /// Writes a decimal as a JSON string, because readers might parse a JSON number as a `Double`.
    package mutating func decimal(_ value: DecimalText) { string(value.text) }

    /// Writes a UUID as its 36 characters, in lower case.
    package mutating func id(_ value: ID) {
        quoted(36) { value.append(to: &$0) }
    }

    /// Writes a member of the current object whose value is a UUID.
    package mutating func member(_ name: String, _ value: ID) {
        key(name)
        id(value)
    }

    /// Writes a member of the current object whose value is a UUID.
    package mutating func member(_ name: JSONKey, _ value: ID) {
        key(name)
        id(value)
    }

    /// Writes a timestamp in RFC 3339, see `Timestamp.description`.
    package mutating func timestamp(_ value: Timestamp) {
        quoted(Timestamp.textBytesMax) { value.append(to: &$0) }
    }

    /// Writes any value in its wire form.
    package mutating func value(_ value: Value) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .decimal(let value): decimal(value)
        case .string(let value): string(value)
        case .date(let value): timestamp(value)
        case .uuid(let value): id(value)
        case .data(let value): base64(value)
        case .json(let text): raw(json: text)
        }
    }

    /// Writes bytes in base64 (RFC 4648 section 4, padded), which needs no escapes.
    package mutating func base64(_ data: Span<UInt8>) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        Base64.append(data, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        wroteValue()
    }

    package mutating func base64(_ data: [UInt8]) { data.withSpan { base64($0) } }
}

package import StrictJSON

/// The values that the protocol allows for an attribute, and their form on the wire.
///
/// Tables can hold more than the protocol allows, because SQL writes to them too: numbers that are not finite, texts
/// that are no case of an enumeration, JSON that a strict reader refuses. A device that is sent one such value cannot
/// read any of its page, so each value is checked where it is written.
package struct WireForm: Sendable {
    private let type: AttributeType
    /// The cases by the bytes of their raw values; `nil` if the type is not an enumeration.
    private let caseTable: JSONKeyTable?
    private let element: JSONRecognizer.Element?

    /// The greatest nesting depth of a value: a body may nest 64 deep (`JSONDocument.Limits`), and four of those levels
    /// are around the value, in a push and in a page.
    package static let depthMax = 60

    package init(_ type: AttributeType) {
        self.type = type
        switch type.kind {
        case .enumeration(_, let cases):
            var seen: [JSONKey] = []
            for key in cases.map({ JSONKey($0) }) where !seen.contains(where: { $0.name == key.name }) {
                seen.append(key)
            }
            (caseTable, element) = (JSONKeyTable(seen), nil)
        case .array(let kind): (caseTable, element) = (nil, JSONRecognizer.Element(kind))
        default: (caseTable, element) = (nil, nil)
        }
    }

    /// True if null may be sent.
    package var isOptional: Bool { type.isOptional }
    package var isEnumeration: Bool { caseTable != nil }

    /// The cases of an enumeration; `nil` for anything else.
    package var cases: [String]? {
        if case .enumeration(_, let cases) = type.kind { cases } else { nil }
    }

    /// Appends a case of the enumeration.
    ///
    /// - Returns: true if the text is one of the cases; otherwise nothing was written.
    package func write(case text: Span<UInt8>, to writer: inout JSONWriter) -> Bool {
        guard let caseTable, caseTable.position(of: text) != nil else { return false }
        writer.string(text)
        return true
    }

    /// Appends a decimal in any spelling, such as PostgreSQL's, without needless zeros.
    ///
    /// - Returns: true if the protocol allows the decimal; otherwise nothing was written.
    package func write(decimal text: Span<UInt8>, to writer: inout JSONWriter) -> Bool {
        if DecimalText.isNormalized(text) {
            writer.string(text)
            return true
        }
        guard let value = DecimalText(utf8: text) else { return false }
        writer.decimal(value)
        return true
    }

    /// Appends the JSON of an array or a codable struct: unchanged if the server wrote it, otherwise in canonical form.
    ///
    /// - Returns: true if the JSON is a value of the attribute; otherwise nothing was written.
    package func write(json text: Span<UInt8>, to writer: inout JSONWriter) -> Bool {
        let isRecognized = text.withUnsafeBytes { bytes in
            element.map { JSONRecognizer.isArray(of: $0, bytes) } ?? JSONRecognizer.isContainer(bytes)
        }
        if isRecognized {
            writer.raw(json: text)
            return true
        }
        let limits = JSONDocument.Limits(depthMax: WireForm.depthMax)
        guard let document = try? JSONDocument(parsing: text, limits: limits),
            let value = try? ValueReader.read(document.root, as: type)
        else { return false }
        writer.value(value)
        return true
    }

    /// True if the JSON of an array or a codable struct may be sent.
    package func admits(json text: Span<UInt8>) -> Bool {
        var writer = JSONWriter()
        return write(json: text, to: &writer)
    }

    /// Appends any value of the attribute.
    ///
    /// - Returns: true if the attribute can have the value; otherwise nothing was written.
    package func write(_ value: Value, to writer: inout JSONWriter) -> Bool {
        switch value {
        case .json(let text) where type.kind.admits(value):
            return text.withUTF8Span { write(json: $0, to: &writer) }
        default:
            guard type.admits(value) else { return false }
            writer.value(value)
            return true
        }
    }
}

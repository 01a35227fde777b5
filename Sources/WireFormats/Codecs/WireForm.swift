package import StrictJSON

/// The values that the protocol allows for an attribute, and their form on the wire.
///
/// Tables may contain more than the protocol allows, because SQL writes to them too: numbers that are not finite, texts
/// that are no case of an enumeration, JSON that a strict reader refuses. A device that is sent one such value cannot
/// read any record of the same page. So each value is checked when it is written to an answer.
package struct WireForm: Sendable {
    private let type: AttributeType
    /// The raw values of an enumeration's cases, for a look-up by bytes; `nil` if the type is not an enumeration.
    private let caseTable: JSONKeyTable?
    private let element: JSONRecognizer.Element?

    /// The greatest nesting depth of a value. A body may nest 64 levels deep (`JSONDocument.Limits`), and four of them
    /// surround the value, both in a push and in a page of a pull.
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

    /// True if null is one of the attribute's allowed values.
    package var isOptional: Bool { type.isOptional }
    package var isEnumeration: Bool { caseTable != nil }

    /// The raw values of an enumeration's cases; `nil` if the type is not an enumeration.
    package var cases: [String]? {
        if case .enumeration(_, let cases) = type.kind { cases } else { nil }
    }

    /// Appends the raw value of an enumeration's case.
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

    /// Appends the JSON of an array or a codable struct: unchanged if it is in the form that the server stores,
    /// otherwise in canonical form.
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

    /// Returns true if the JSON of an array or a codable struct may be sent.
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

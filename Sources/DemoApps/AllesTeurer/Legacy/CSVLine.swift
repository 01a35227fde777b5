import WireFormats

/// A line of comma-separated fields (RFC 4180) without line breaks in fields.
struct CSVLine {
    private(set) var fields: [String] = []

    /// Parses a line.
    ///
    /// - Throws: `LegacyFault` if the line is not UTF-8, holds U+0000, or its quotes do not pair.
    init(_ line: ArraySlice<UInt8>) throws(LegacyFault) {
        var rest = line
        repeat {
            let field = rest.first == UInt8(ascii: "\"") ? try CSVLine.quoted(&rest) : CSVLine.plain(&rest)
            guard let text = String(validating: field, as: UTF8.self), !field.contains(0) else {
                throw LegacyFault("The line is not text in UTF-8.")
            }
            fields.append(text)
        } while rest.popFirst() != nil
    }

    /// Removes an unquoted field, up to a comma or the end, from the beginning of `rest`, and returns it.
    private static func plain(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let field = rest.prefix { $0 != UInt8(ascii: ",") }
        rest = rest.dropFirst(field.count)
        return Array(field)
    }

    /// Removes a quoted field from the beginning of `rest`, up to a comma or the end, and returns it. Two quotes within
    /// the field mean one quote.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) throws(LegacyFault) -> [UInt8] {
        var field: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "\"") {
                field.append(byte)
            } else if rest.first == UInt8(ascii: "\"") {
                field.append(byte)
                rest = rest.dropFirst()
            } else {
                guard rest.isEmpty || rest.first == UInt8(ascii: ",") else {
                    throw LegacyFault("Something follows a closing quote.")
                }
                return field
            }
        }
        throw LegacyFault("A quote is not closed in its line.")
    }
}

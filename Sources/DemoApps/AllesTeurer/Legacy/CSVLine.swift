import WireFormats

/// A line of comma-separated fields (RFC 4180). No field may contain a line break.
struct CSVLine {
    private(set) var fields: [String] = []

    /// Parses a line.
    ///
    /// - Throws: `LegacyFault` if the line is not UTF-8, contains U+0000, or has an unmatched quote.
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

    /// Removes and returns the first field of `rest`, which has no quotes. It ends before a comma or at the end of the
    /// line.
    private static func plain(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let field = rest.prefix { $0 != UInt8(ascii: ",") }
        rest = rest.dropFirst(field.count)
        return Array(field)
    }

    /// Removes and returns the first field of `rest`, which is in quotes. Two quotes within the field stand for one.
    ///
    /// - Throws: `LegacyFault` if the field's last quote is missing, or is not followed by a comma or the end of the
    ///   line.
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

/// Puts long numbers in a JSON text into quotes, so that they are read without a loss of precision.
///
/// JSON numbers are read as `Double`, which holds only 15 digits for certain. But an app that writes Foundation's
/// `Decimal` writes up to 38 digits. Numbers with an exponent are put into quotes, too.
enum LongNumbers {
    private static let digitsMax = 15

    /// Returns the JSON text with its long numbers in quotes.
    ///
    /// Invalid JSON is not repaired: a number where a key should be stays as it is, so that the text remains invalid.
    static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        var quoted: [UInt8] = []
        quoted.reserveCapacity(bytes.count + bytes.count / 16)
        var offset = 0
        while offset < bytes.count {
            let end = tokenEnd(bytes, offset)
            let token = bytes[offset..<end]
            let quotes = isLongNumber(token) && !isFollowedByColon(bytes, end)
            if quotes { quoted.append(UInt8(ascii: "\"")) }
            quoted += token
            if quotes { quoted.append(UInt8(ascii: "\"")) }
            offset = end
        }
        return quoted
    }

    /// Returns the offset at which the token that begins at `offset` ends. A token is a string, a run of bytes that
    /// occur in numbers, or one other byte.
    private static func tokenEnd(_ bytes: [UInt8], _ offset: Int) -> Int {
        if bytes[offset] == UInt8(ascii: "\"") { return stringEnd(bytes, offset) }
        var end = offset
        while end < bytes.count, isOfNumber(bytes[end]) { end += 1 }
        return max(end, offset + 1)
    }

    private static func stringEnd(_ bytes: [UInt8], _ offset: Int) -> Int {
        var end = offset + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(end + 1, bytes.count)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private static func isLongNumber(_ token: ArraySlice<UInt8>) -> Bool {
        let digits = token.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits > digitsMax || digits > 0 && token.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
        else { return false }
        // RFC 8259 section 6.
        let number = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/
        return String(decoding: token, as: UTF8.self).wholeMatch(of: number) != nil
    }

    private static func isFollowedByColon(_ bytes: [UInt8], _ offset: Int) -> Bool {
        bytes[offset...].first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } == UInt8(ascii: ":")
    }
}

/// Conversion of line ends to LF from CR LF or CR, which an editor or a checkout may have written.
package enum LineEnds {
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

    /// Returns the text with LF for each line end. A text without CR is returned unchanged.
    ///
    /// Several CR before an LF count as one line end, because a file that was converted twice has such line ends.
    package static func plain(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(carriageReturn) else { return bytes }
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var waiting = 0
        for byte in bytes {
            if byte == carriageReturn {
                waiting += 1
                continue
            }
            if byte != lineFeed { plain.append(contentsOf: repeatElement(lineFeed, count: waiting)) }
            waiting = 0
            plain.append(byte)
        }
        plain.append(contentsOf: repeatElement(lineFeed, count: waiting))
        return plain
    }

    package static func plain(_ text: String) -> String {
        text.utf8.contains(carriageReturn) ? String(decoding: plain(Array(text.utf8)), as: UTF8.self) : text
    }
}

/// The encodings that a text file begins to show by its first bytes, and the one that is read here.
package enum TextEncoding {
    /// Why bytes are no text that can be read.
    package struct Unreadable: Error, Hashable, Sendable {
        /// As in “Cannot read FILE: …”, without the full stop.
        package let reason: String
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The mark of UTF-16 in either order, which UTF-32 begins with as well where its order is that of most machines.
    private static let otherMarks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF], [0x00, 0x00, 0xFE, 0xFF]]

    /// The bytes without the byte order mark that some editors begin a file with. Whether the rest is UTF-8 is for
    /// whoever reads it to say, who knows the place.
    ///
    /// - Throws: where it is UTF-16 or UTF-32: no text that is read here has U+0000 among its first two characters.
    package static func utf8(_ bytes: [UInt8]) throws(Unreadable) -> [UInt8] {
        if bytes.starts(with: byteOrderMark) { return Array(bytes.dropFirst(byteOrderMark.count)) }
        if otherMarks.contains(where: bytes.starts(with:)) || bytes.count > 1 && bytes.prefix(2).contains(0) {
            throw Unreadable(reason: "It is not UTF-8, but UTF-16 or UTF-32. Save it as UTF-8")
        }
        return bytes
    }
}

/// Detection of a text file's encoding by its first bytes; only UTF-8 is read.
package enum TextEncoding {
    /// The reason why bytes cannot be read as text.
    package struct Unreadable: Error, Hashable, Sendable {
        /// The reason, worded to follow “Cannot read FILE: ”, without the full stop.
        package let reason: String
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The byte order marks of UTF-16 in either byte order, and of UTF-32 in big-endian order. Little-endian UTF-32
    /// needs no entry, because its mark begins with that of UTF-16.
    private static let otherMarks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF], [0x00, 0x00, 0xFE, 0xFF]]

    /// Returns the bytes without the byte order mark with which some editors begin a file. The caller checks that the
    /// rest is UTF-8, because the caller can report the position of an error.
    ///
    /// - Throws: an error if the bytes begin with a byte order mark of UTF-16 or UTF-32, or if one of the first two
    ///   bytes is zero. Such bytes are taken for one of these encodings.
    package static func utf8(_ bytes: [UInt8]) throws(Unreadable) -> [UInt8] {
        if bytes.starts(with: byteOrderMark) { return Array(bytes.dropFirst(byteOrderMark.count)) }
        if otherMarks.contains(where: bytes.starts(with:)) || bytes.count > 1 && bytes.prefix(2).contains(0) {
            throw Unreadable(reason: "It is not UTF-8, but UTF-16 or UTF-32. Save it as UTF-8")
        }
        return bytes
    }
}

/// An object key that is known beforehand. It is compared by its UTF-8 bytes when read, and written from prepared
/// bytes.
package struct JSONKey: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The key's UTF-8 bytes.
    @usableFromInline package let name: [UInt8]
    /// The key as it is written after another member: a comma, the key quoted and escaped, and a colon.
    package let text: [UInt8]

    package init(_ name: String) {
        self.name = Array(name.utf8)
        var writer = JSONWriter()
        writer.string(name)
        text = [UInt8(ascii: ",")] + writer.bytes + [UInt8(ascii: ":")]
    }

    package init(stringLiteral name: String) { self.init(name) }
}

extension JSONKey: CustomStringConvertible {
    package var description: String { String(decoding: name, as: UTF8.self) }
}

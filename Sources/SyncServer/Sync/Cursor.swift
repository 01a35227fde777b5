package import WireFormats

/// How far a device has read a space: opaque to clients, a string that they store and send back.
package struct Cursor: Hashable, Sendable {
    /// The database that minted it.
    package var epoch: ID
    /// Everything up to here has been sent.
    package var seq: Int64
    /// The head when the device began with nothing, or at the last page that was not the end of a walk. What it pushed
    /// before that it may have lost, or have pushed before it was told all of it, so that is sent again.
    package var origin: Int64
    /// The version whose view was sent, and its fingerprint.
    package var version: Schema.Version
    package var fingerprint: UInt64
    /// A hash of the app and the space, so that a cursor of another space is recognised.
    package var place: UInt32

    package init(
        epoch: ID, seq: Int64, origin: Int64, schema: Schema, app: String, space: ID
    ) {
        self.epoch = epoch
        self.seq = seq
        self.origin = origin
        version = schema.version
        fingerprint = UInt64(schema.fingerprint, radix: 16) ?? 0
        place = Cursor.place(app: app, space: space)
    }

    /// A hash that need not be hard to find: a cursor grants nothing.
    package static func place(app: String, space: ID) -> UInt32 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(app)/\(space)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }
}

extension Cursor {
    /// The layout's number, the first byte. Another layout gets another number, and old cursors are still read.
    private static let layout: UInt8 = 1
    private static let byteCount = 1 + 16 + 8 + 8 + 6 + 8 + 4

    /// The wire form: base64 in the URL-safe alphabet (RFC 4648 section 5), without padding.
    package var text: String {
        var bytes: [UInt8] = [Cursor.layout]
        bytes.reserveCapacity(Cursor.byteCount)
        append(epoch.high, bytes: 8, to: &bytes)
        append(epoch.low, bytes: 8, to: &bytes)
        append(UInt64(bitPattern: seq), bytes: 8, to: &bytes)
        append(UInt64(bitPattern: origin), bytes: 8, to: &bytes)
        for part in [version.major, version.minor, version.patch] {
            append(UInt64(part & 0xFFFF), bytes: 2, to: &bytes)
        }
        append(fingerprint, bytes: 8, to: &bytes)
        append(UInt64(place), bytes: 4, to: &bytes)
        return String(
            decoding: Base64.encode(bytes).utf8.compactMap { byte -> UInt8? in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case UInt8(ascii: "="): nil
                default: byte
                }
            }, as: UTF8.self)
    }

    /// `nil` for what this server did not mint.
    package init?(_ text: String) {
        // 51 bytes are a whole number of base64 groups, so there was no padding to drop.
        let standard = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        guard let bytes = Base64.decode(standard.span), bytes.count == Cursor.byteCount, bytes[0] == Cursor.layout
        else { return nil }
        var offset = 1
        func next(_ count: Int) -> UInt64 {
            defer { offset += count }
            return bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
        epoch = ID(high: next(8), low: next(8))
        seq = Int64(bitPattern: next(8))
        origin = Int64(bitPattern: next(8))
        version = Schema.Version(Int(next(2)), Int(next(2)), Int(next(2)))
        fingerprint = next(8)
        place = UInt32(truncatingIfNeeded: next(4))
        if seq < 0 || origin < 0 { return nil }
    }

    private func append(_ value: UInt64, bytes count: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: (count - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}

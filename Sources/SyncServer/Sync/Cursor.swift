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
    /// What the device is still to be told of the records up to `seq`, after an update of its app.
    package var widening: Widening?

    /// A walk over the records up to `seq` for what an older version could not see of them.
    package struct Widening: Hashable, Sendable {
        /// The version in which the device read them, and its fingerprint.
        package var version: Schema.Version
        package var fingerprint: UInt64
        /// Everything up to here has been told.
        package var walked: Int64

        package init(from schema: Schema, walked: Int64) {
            version = schema.version
            fingerprint = schema.fingerprintNumber
            self.walked = walked
        }

        fileprivate init(version: Schema.Version, fingerprint: UInt64, walked: Int64) {
            self.version = version
            self.fingerprint = fingerprint
            self.walked = walked
        }
    }

    package init(
        epoch: ID, seq: Int64, origin: Int64, schema: Schema, app: String, space: ID, widening: Widening? = nil
    ) {
        self.epoch = epoch
        self.seq = seq
        self.origin = origin
        version = schema.version
        fingerprint = schema.fingerprintNumber
        place = Cursor.place(app: app, space: space)
        self.widening = widening
    }

    /// A hash that need not be hard to find: a cursor grants nothing.
    package static func place(app: String, space: ID) -> UInt32 {
        var hash = FNV1a()
        hash.combine("\(app)/\(space)".utf8)
        return UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32)
    }
}

extension Cursor {
    /// The layout's number, the first byte. Another layout gets another number, and old cursors are still read.
    private static let layout: UInt8 = 1
    private static let byteCount = 1 + 16 + 8 + 8 + 6 + 8 + 4
    /// The first layout, and a widening after it. Only cursors that have one are written so.
    private static let wideningLayout: UInt8 = 2
    private static let wideningByteCount = byteCount + 6 + 8 + 8

    /// The wire form: base64 in the URL-safe alphabet (RFC 4648 section 5), without padding.
    package var text: String {
        var bytes: [UInt8] = [widening == nil ? Cursor.layout : Cursor.wideningLayout]
        bytes.reserveCapacity(Cursor.wideningByteCount)
        append(epoch.high, bytes: 8, to: &bytes)
        append(epoch.low, bytes: 8, to: &bytes)
        append(UInt64(bitPattern: seq), bytes: 8, to: &bytes)
        append(UInt64(bitPattern: origin), bytes: 8, to: &bytes)
        append(version, to: &bytes)
        append(fingerprint, bytes: 8, to: &bytes)
        append(UInt64(place), bytes: 4, to: &bytes)
        if let widening {
            append(widening.version, to: &bytes)
            append(widening.fingerprint, bytes: 8, to: &bytes)
            append(UInt64(bitPattern: widening.walked), bytes: 8, to: &bytes)
        }
        return Base64.encodeURLSafe(bytes)
    }

    /// `nil` for what this server did not mint.
    package init?(_ text: String) {
        guard let bytes = Base64.decodeURLSafe(text) else { return nil }
        switch (bytes.first, bytes.count) {
        case (Cursor.layout, Cursor.byteCount), (Cursor.wideningLayout, Cursor.wideningByteCount): break
        default: return nil
        }
        var offset = 1
        func next(_ count: Int) -> UInt64 {
            defer { offset += count }
            return bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
        func nextVersion() -> Schema.Version {
            Schema.Version(Int(next(2)), Int(next(2)), Int(next(2)))
        }
        epoch = ID(high: next(8), low: next(8))
        seq = Int64(bitPattern: next(8))
        origin = Int64(bitPattern: next(8))
        version = nextVersion()
        fingerprint = next(8)
        place = UInt32(truncatingIfNeeded: next(4))
        if seq < 0 || origin < 0 { return nil }
        guard bytes[0] == Cursor.wideningLayout else { return }
        let widening = Widening(
            version: nextVersion(), fingerprint: next(8), walked: Int64(bitPattern: next(8)))
        guard (0...seq).contains(widening.walked) else { return nil }
        self.widening = widening
    }

    private func append(_ version: Schema.Version, to bytes: inout [UInt8]) {
        for part in [version.major, version.minor, version.patch] {
            append(UInt64(part & 0xFFFF), bytes: 2, to: &bytes)
        }
    }

    private func append(_ value: UInt64, bytes count: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: (count - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}

extension Schema {
    /// The fingerprint as a number.
    package var fingerprintNumber: UInt64 { UInt64(fingerprint, radix: 16) ?? 0 }
}

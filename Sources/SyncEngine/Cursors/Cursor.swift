package import WireFormats

/// A position in a space up to which a device has read. Opaque to clients: a string that they store and send back.
package struct Cursor: Hashable, Sendable {
    /// The epoch of the database that made the cursor.
    package var epoch: ID
    /// The era of the latest push into the space when the cursor was made. An era is the time between two starts of
    /// PostgreSQL, see `Eras`.
    ///
    /// `nil` if there was no push, or if the cursor was made by a release that did not record eras.
    package var era: Int64?
    /// The sequence number up to which the device has been sent all changes.
    package var seq: Int64
    /// The head (highest sequence number) that the space had when this cursor, or an earlier one of the device, was
    /// made. While it is higher than `seq`, as during an initial sync, there is more to be read.
    package var head: Int64
    /// The sequence numbers above `seq` that were assigned to the device's own pushes, if the device has received the
    /// answers to these pushes. Empty if there are none.
    package var acknowledged = NumberRanges()
    /// The sequence number up to which the device need not be told of deletions. Either it had no records when the
    /// space had reached this number. Or it had received the deletions up to here before it began to sync the space
    /// from the start again.
    ///
    /// The number matters only while it is higher than `seq`.
    package var cleared: Int64
    /// The version in which the device was sent its records; `fingerprint` is the fingerprint of this version.
    package var version: Schema.Version
    package var fingerprint: UInt64
    /// A hash of the app and the space. It detects a cursor of another space.
    package var spaceHash: UInt32
    /// The state of a widening (the sending of records that an app's older version could not see) after an update of
    /// the app; `nil` if none is under way.
    package var widening: Widening?

    /// A widening: a pull, after an update of the app, that pages through the records up to `seq` and sends what the
    /// older version could not see of them.
    package struct Widening: Hashable, Sendable {
        /// The older version, in which the device had read its records; `fingerprint` is the fingerprint of this
        /// version.
        package var version: Schema.Version
        package var fingerprint: UInt64
        /// The highest sequence number that the widening has reached.
        package var reached: Int64

        package init(from schema: Schema, reached: Int64) {
            version = schema.version
            fingerprint = schema.fingerprintNumber
            self.reached = reached
        }

        fileprivate init(version: Schema.Version, fingerprint: UInt64, reached: Int64) {
            self.version = version
            self.fingerprint = fingerprint
            self.reached = reached
        }
    }

    package init(
        epoch: ID, era: Int64? = nil, seq: Int64, head: Int64, acknowledged: NumberRanges = NumberRanges(),
        cleared: Int64 = 0, schema: Schema, app: String, space: ID, widening: Widening? = nil
    ) {
        self.epoch = epoch
        self.era = era
        self.seq = seq
        self.head = head
        self.acknowledged = acknowledged
        self.cleared = cleared
        version = schema.version
        fingerprint = schema.fingerprintNumber
        spaceHash = Cursor.spaceHash(app: app, space: space)
        self.widening = widening
    }

    /// The sequence number up to which the device knows of all deletions of records that it may have.
    package var informedThrough: Int64 { max(seq, cleared) }

    /// The highest number in the cursor. When the cursor was made, the space's head was at least this number.
    package var highestNumber: Int64 { max(head, informedThrough, acknowledged.last) }

    /// Returns a hash of the app and the space. It need not resist attacks, because a cursor gives no rights.
    package static func spaceHash(app: String, space: ID) -> UInt32 {
        var hash = FNV1a()
        hash.combine(app)
        hash.combine("/")
        hash.combine(space.description)
        return UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32)
    }
}

extension Cursor {
    /// The layout of a cursor's bytes, as its first byte states it: 1 plus one bit for each optional member that is
    /// present.
    ///
    /// The members that every cursor has come first. The optional members follow in the order of their bits, except
    /// that `acknowledged` is last.
    private struct Layout: OptionSet {
        let rawValue: UInt8
        static let widening = Layout(rawValue: 1)
        static let cleared = Layout(rawValue: 2)
        static let acknowledged = Layout(rawValue: 4)
        static let era = Layout(rawValue: 8)
        static let all: Layout = [.widening, .cleared, .acknowledged, .era]

        init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Reads the layout from the first byte of a cursor; `nil` if this server does not know it.
        init?(firstByte: UInt8) {
            guard firstByte > 0, Layout.all.rawValue >= firstByte - 1 else { return nil }
            rawValue = firstByte - 1
        }

        var firstByte: UInt8 { rawValue + 1 }

        /// The number of bytes of a cursor with this layout, not counting `acknowledged`, whose length varies.
        var byteCount: Int {
            1 + 16 + 8 + 8 + 6 + 8 + 4 + (contains(.widening) ? 6 + 8 + 8 : 0) + (contains(.cleared) ? 8 : 0)
                + (contains(.era) ? 8 : 0)
        }
    }

    /// The wire form: base64 in the URL-safe alphabet (RFC 4648 section 5), without padding.
    package var text: String {
        var layout: Layout = []
        if widening != nil { layout.insert(.widening) }
        if cleared > seq { layout.insert(.cleared) }
        if !acknowledged.isEmpty { layout.insert(.acknowledged) }
        if era != nil { layout.insert(.era) }
        var bytes: [UInt8] = [layout.firstByte]
        bytes.reserveCapacity(layout.byteCount)
        append(epoch.high, bytes: 8, to: &bytes)
        append(epoch.low, bytes: 8, to: &bytes)
        append(UInt64(bitPattern: seq), bytes: 8, to: &bytes)
        append(UInt64(bitPattern: head), bytes: 8, to: &bytes)
        append(version, to: &bytes)
        append(fingerprint, bytes: 8, to: &bytes)
        append(UInt64(spaceHash), bytes: 4, to: &bytes)
        if let widening {
            append(widening.version, to: &bytes)
            append(widening.fingerprint, bytes: 8, to: &bytes)
            append(UInt64(bitPattern: widening.reached), bytes: 8, to: &bytes)
        }
        if layout.contains(.cleared) { append(UInt64(bitPattern: cleared), bytes: 8, to: &bytes) }
        if let era { append(UInt64(bitPattern: era), bytes: 8, to: &bytes) }
        for bound in acknowledged.bounds { append(UInt64(bitPattern: bound), bytes: 8, to: &bytes) }
        return Base64.encodeURLSafe(bytes)
    }

    /// The longest text of a cursor in bytes. With all optional members a cursor has 217 bytes before base64.
    package static let textSizeMaxBytes = 300

    /// Parses a cursor; `nil` for a text that this server did not make.
    package init?(_ text: String) {
        guard text.utf8.count <= Cursor.textSizeMaxBytes, let bytes = Base64.decodeURLSafe(text),
            let layout = bytes.first.flatMap(Layout.init(firstByte:)),
            layout.contains(.acknowledged) ? bytes.count > layout.byteCount : bytes.count == layout.byteCount
        else { return nil }
        var offset = 1
        func next(_ count: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in offset..<offset + count { value = value << 8 | UInt64(bytes[index]) }
            offset += count
            return value
        }
        func nextVersion() -> Schema.Version {
            Schema.Version(Int(next(2)), Int(next(2)), Int(next(2)))
        }
        epoch = ID(high: next(8), low: next(8))
        seq = Int64(bitPattern: next(8))
        head = Int64(bitPattern: next(8))
        version = nextVersion()
        fingerprint = next(8)
        spaceHash = UInt32(truncatingIfNeeded: next(4))
        cleared = 0
        if seq < 0 || head < 0 { return nil }
        if layout.contains(.widening) {
            let widening = Widening(
                version: nextVersion(), fingerprint: next(8), reached: Int64(bitPattern: next(8)))
            guard (0...seq).contains(widening.reached) else { return nil }
            self.widening = widening
        }
        if layout.contains(.cleared) {
            cleared = Int64(bitPattern: next(8))
            if cleared <= seq { return nil }
        }
        if layout.contains(.era) { era = Int64(bitPattern: next(8)) }
        if layout.contains(.acknowledged) {
            guard (bytes.count - offset) % 16 == 0 else { return nil }
            let bounds = (0..<(bytes.count - offset) / 8).map { _ in Int64(bitPattern: next(8)) }
            guard let ranges = NumberRanges(bounds: bounds, above: seq) else { return nil }
            acknowledged = ranges
        }
    }

    private func append(_ version: Schema.Version, to bytes: inout [UInt8]) {
        append(UInt64(version.major & 0xFFFF), bytes: 2, to: &bytes)
        append(UInt64(version.minor & 0xFFFF), bytes: 2, to: &bytes)
        append(UInt64(version.patch & 0xFFFF), bytes: 2, to: &bytes)
    }

    /// Appends the low `count` bytes of `value`, most significant first.
    private func append(_ value: UInt64, bytes count: Int, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0.suffix(count)) }
    }
}

extension Schema {
    /// The fingerprint, which is a hexadecimal text, as the number that cursors contain.
    package var fingerprintNumber: UInt64 { UInt64(fingerprint, radix: 16) ?? 0 }
}

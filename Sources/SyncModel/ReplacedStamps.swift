package import WireFormats

/// A check of the stamps by which the server replaces those that are too far ahead of its clock.
///
/// The replacements must be in the same order as the stamps that the device sent. Equal stamps must have equal
/// replacements.
///
/// Only stamps of one device for one record are compared. A rule in `docs/internals/cursors.md` (R2) demands the order
/// for all stamps of a device, but also that a replacement is later than all other stamps of its record. Both cannot
/// always be true. The order between two records does not matter, because their stamps are never compared.
package struct ReplacedStamps: Sendable {
    /// A stamp that a device sent, with its replacement.
    package struct Replacement: Hashable, Sendable {
        package let sent: Stamp
        /// The server's replacement for the stamp that the device sent. The server merged the change with this
        /// replacement.
        package let counts: Stamp
    }

    private struct Sender: Hashable {
        let device: ID
        let record: ID
    }

    private var replacements: [Sender: Set<Replacement>] = [:]

    package init() {}

    /// Records that the server has replaced a stamp, and compares this with earlier replacements for the same device
    /// and record.
    ///
    /// - Parameters:
    ///   - sent: the stamp that the device sent.
    ///   - counts: the stamp by which the server replaced it.
    /// - Returns: an earlier replacement that contradicts the new one: the stamps that the device sent and their
    ///   replacements are in different orders. `nil` if there is none.
    package mutating func note(_ sent: Stamp, as counts: Stamp, of device: ID, in record: ID) -> Replacement? {
        let sender = Sender(device: device, record: record)
        let other = replacements[sender]?.first { other in
            (sent < other.sent) != (counts < other.counts) || (sent > other.sent) != (counts > other.counts)
        }
        replacements[sender, default: []].insert(Replacement(sent: sent, counts: counts))
        return other
    }
}

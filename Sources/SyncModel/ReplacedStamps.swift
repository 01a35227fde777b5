package import WireFormats

/// A check on the replacements for stamps that were too far ahead (R2). The replacements for one device's stamps must
/// be in the order of the stamps that the device sent, and one stamp is always replaced by the same.
///
/// The check is made for each record. `docs/internals/cursors.md` demands it of all that a device sent. But stamps of
/// two records are never compared, and a replacement must be later than the stamps of its own record, so that both
/// cannot always be met.
package struct ReplacedStamps: Sendable {
    /// A stamp that a device sent, with its replacement.
    package struct Replacement: Hashable, Sendable {
        package let sent: Stamp
        /// The replacement.
        package let counts: Stamp
    }

    private struct Sender: Hashable {
        let device: ID
        let record: ID
    }

    private var replacements: [Sender: Set<Replacement>] = [:]

    package init() {}

    /// Remembers a replacement.
    ///
    /// - Returns: another replacement for the same device and record that contradicts this one's order, if there is
    ///   one.
    package mutating func note(_ sent: Stamp, as counts: Stamp, of device: ID, in record: ID) -> Replacement? {
        let sender = Sender(device: device, record: record)
        let other = replacements[sender]?.first { other in
            (sent < other.sent) != (counts < other.counts) || (sent > other.sent) != (counts > other.counts)
        }
        replacements[sender, default: []].insert(Replacement(sent: sent, counts: counts))
        return other
    }
}

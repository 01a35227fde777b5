package import WireFormats

/// A check of the stamps by which the server replaces those that are too far ahead (rule R2). The replacements for one
/// device's stamps must be in the same order as the stamps that the device sent, and the same stamp must always have
/// the same replacement.
///
/// The check is made for each record separately. `docs/internals/cursors.md` demands the order among all stamps that a
/// device sent. But a replacement must also be later than the stamps of its own record, and both demands cannot always
/// be met. Stamps of two records are never compared, so the order between records has no effect.
package struct ReplacedStamps: Sendable {
    /// A stamp that a device sent, with its replacement.
    package struct Replacement: Hashable, Sendable {
        package let sent: Stamp
        /// The stamp by which the server replaced the device's stamp. The change was merged with it.
        package let counts: Stamp
    }

    private struct Sender: Hashable {
        let device: ID
        let record: ID
    }

    private var replacements: [Sender: Set<Replacement>] = [:]

    package init() {}

    /// Records that the server has replaced a stamp.
    ///
    /// - Parameters:
    ///   - sent: the stamp that the device sent.
    ///   - counts: the stamp by which the server replaced it.
    /// - Returns: an earlier replacement for the same device and record whose order contradicts this one; `nil` if none
    ///   does.
    package mutating func note(_ sent: Stamp, as counts: Stamp, of device: ID, in record: ID) -> Replacement? {
        let sender = Sender(device: device, record: record)
        let other = replacements[sender]?.first { other in
            (sent < other.sent) != (counts < other.counts) || (sent > other.sent) != (counts > other.counts)
        }
        replacements[sender, default: []].insert(Replacement(sent: sent, counts: counts))
        return other
    }
}

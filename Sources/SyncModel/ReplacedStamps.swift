package import WireFormats

/// What a server made of stamps that were too far ahead (R2): of what one device sent, they must be in the order of
/// those that it sent, and one stamp is always replaced by the same.
///
/// Record by record: the page says it of all that a device sent, but stamps of two records are never compared, and a
/// replacement must be later than what its own record has, so that both cannot always be had.
package struct ReplacedStamps: Sendable {
    /// A stamp that a device sent, and what became of it.
    package struct Replacement: Hashable, Sendable {
        package let sent: Stamp
        /// What counts instead.
        package let counts: Stamp
    }

    private struct Sender: Hashable {
        let device: ID
        let record: ID
    }

    private var replacements: [Sender: Set<Replacement>] = [:]

    package init() {}

    /// - Returns: another replacement of the device's in the record with which this one is not in order.
    package mutating func note(_ sent: Stamp, as counts: Stamp, of device: ID, in record: ID) -> Replacement? {
        let sender = Sender(device: device, record: record)
        let other = replacements[sender]?.first { other in
            (sent < other.sent) != (counts < other.counts) || (sent > other.sent) != (counts > other.counts)
        }
        replacements[sender, default: []].insert(Replacement(sent: sent, counts: counts))
        return other
    }
}

/// An IP address to which a fetch is about to connect. The address is checked after the host name was resolved, because
/// the owner of a name can change its address at any time.
struct PeerAddress: Equatable, CustomStringConvertible {
    /// The address: four or sixteen bytes, in network order.
    private let bytes: [UInt8]

    /// Creates an IPv4 address from four bytes, or an IPv6 address from sixteen. Returns `nil` for any other number of
    /// bytes.
    ///
    /// - Parameter bytes: the address in network order.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// True if the address is on the public Internet. False for addresses of this machine, of a private network or of a
    /// cloud's metadata service, and for those of several machines at once (such as multicast).
    var isPublic: Bool {
        if bytes.count == 4 { return !PeerAddress.specialFour.contains { $0.contains(bytes) } }
        if let four = carriedFour { return four.isPublic }
        return PeerAddress.unicastSix.contains(bytes) && !PeerAddress.specialSix.contains { $0.contains(bytes) }
    }

    /// The IPv4 address to which connections to this IPv6 address lead, such as that of an IPv4-mapped address; `nil`
    /// if there is none.
    private var carriedFour: PeerAddress? {
        if PeerAddress.mapped.contains(bytes) || PeerAddress.translated.contains(bytes) {
            return PeerAddress(Array(bytes[12...]))
        }
        return PeerAddress.sixToFour.contains(bytes) ? PeerAddress(Array(bytes[2..<6])) : nil
    }

    /// A block of addresses with the same prefix.
    private struct Block {
        let start: [UInt8]
        let bits: Int

        init(_ start: [UInt8], bits: Int) {
            self.start = start
            self.bits = bits
        }

        func contains(_ bytes: [UInt8]) -> Bool {
            start.indices.allSatisfy { index in
                let rest = min(8, max(0, bits - 8 * index))
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
                return (start[index] ^ bytes[index]) & mask == 0
            }
        }
    }

    /// IPv4 blocks that are not public: IANA's registry of special addresses (RFC 6890), multicast (RFC 5771), and the
    /// reserved addresses, broadcast included.
    private static let specialFour = [
        Block([0], bits: 8), Block([10], bits: 8), Block([100, 64], bits: 10), Block([127], bits: 8),
        Block([169, 254], bits: 16), Block([172, 16], bits: 12), Block([192, 0, 0], bits: 24),
        Block([192, 0, 2], bits: 24), Block([192, 88, 99], bits: 24), Block([192, 168], bits: 16),
        Block([198, 18], bits: 15), Block([198, 51, 100], bits: 24), Block([203, 0, 113], bits: 24),
        Block([224], bits: 3),
    ]

    /// The block of all addresses that IANA has assigned for global unicast (RFC 4291, section 2.4). It excludes ::1,
    /// link-local, unique local (RFC 4193) and multicast addresses, and the prefix with which a network translates IPv4
    /// addresses locally (RFC 8215).
    private static let unicastSix = Block([0x20], bits: 3)
    /// The blocks of global unicast addresses that are not public. They are reserved for protocols such as Teredo, and
    /// for documentation (RFC 3849, RFC 9637).
    private static let specialSix = [
        Block([0x20, 0x01, 0x00], bits: 23), Block([0x20, 0x01, 0x0D, 0xB8], bits: 32),
        Block([0x3F, 0xFF, 0x00], bits: 20),
    ]
    /// The IPv4-mapped addresses, ::ffff:0:0/96 (RFC 4291, section 2.5.5.2).
    private static let mapped = Block([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], bits: 96)
    /// The IPv4 addresses translated to IPv6, 64:ff9b::/96 (RFC 6052): a network with IPv6 alone reaches every IPv4
    /// address through them.
    private static let translated = Block([0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8), bits: 96)
    /// The 6to4 addresses, 2002::/16 (RFC 3056).
    private static let sixToFour = Block([0x20, 0x02], bits: 16)

    var description: String {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}

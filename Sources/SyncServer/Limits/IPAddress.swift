import Glibc
import SyncEngine

/// An IP address: 4 or 16 bytes.
struct IPAddress: Hashable {
    let bytes: [UInt8]

    /// Parses a numeric address.
    ///
    /// - Parameter text: a numeric address; the initializer returns `nil` for anything else. An IPv4 address within
    ///   IPv6 (RFC 4291, section 2.5.5.2) is read as the IPv4 address.
    init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let all = withUnsafeBytes(of: &six) { Array($0) }
            let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
            bytes = Array(all.prefix(12)) == mapped ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    /// True if the address is of the same machine or of a private network: loopback, private (RFC 1918, RFC 4193) or
    /// link-local.
    var isNear: Bool { IPAddress.near.contains { $0.contains(self) } }

    private static let near = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "::1", "fc00::/7",
        "fe80::/10",
    ].compactMap { AddressRange($0) }

    /// The network that the address is counted under, as in `HTTPRequest.network`: the IPv4 address, or the /64 of an
    /// IPv6 address.
    var network: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let masked = Array(bytes.prefix(8)) + [UInt8](repeating: 0, count: 8)
        inet_ntop(AF_INET6, masked, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/64"
    }
}

/// A range of addresses with a common prefix.
struct AddressRange: Hashable {
    private let address: IPAddress
    private let bits: Int

    /// Parses an address range.
    ///
    /// - Parameter text: a range such as `10.0.0.0/8`, or a single address such as `10.0.0.1`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
        let all = address.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : all, (0...all).contains(bits) else { return nil }
        self.address = address
        self.bits = bits
    }

    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let left = min(8, max(0, bits - index * 8))
            let mask = left == 0 ? 0 : ~UInt8(0) << UInt8(8 - left)
            return pair.0 & mask == pair.1 & mask
        }
    }
}

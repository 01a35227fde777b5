internal import Glibc

/// An IPv4 or IPv6 address and port in the form that sockets take.
struct SocketAddress {
    private var storage = sockaddr_storage()
    let isIPv6: Bool

    /// Nil unless `address` is numeric and `port` is 0 to 65,535.
    init?(_ address: String, port: Int) {
        guard let port = UInt16(exactly: port) else { return nil }
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if inet_pton(AF_INET, address, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            isIPv6 = false
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
        } else if inet_pton(AF_INET6, address, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            isIPv6 = true
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v6, as: sockaddr_in6.self) }
        } else {
            return nil
        }
    }

    func withPointer<Value>(_ body: (UnsafePointer<sockaddr>) -> Value) -> Value {
        withUnsafeBytes(of: storage) { bytes in
            // sockaddr_storage is aligned for, and at least as large as, every sockaddr (POSIX <sys/socket.h>).
            body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self))
        }
    }

    /// The numeric address without port; empty when unknown.
    static func text(of address: UnsafePointer<sockaddr>?) -> String {
        guard let address else { return "" }
        let size =
            address.pointee.sa_family == sa_family_t(AF_INET6)
            ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = getnameinfo(
            address, socklen_t(size), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return "" }
        return String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

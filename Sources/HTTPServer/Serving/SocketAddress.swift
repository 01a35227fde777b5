// The header of CMicroHTTPD includes <sys/socket.h>; the compiler then attributes those declarations to CMicroHTTPD.
internal import CMicroHTTPD
internal import Glibc

/// An IPv4 or IPv6 address and port in the form that the socket calls take.
struct SocketAddress {
    private var storage = sockaddr_storage()
    let isIPv6: Bool

    /// Creates an address from text; `nil` unless `address` is a numeric IP address and `port` is 0 to 65,535.
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

    /// Reads the address and port to which the socket `descriptor` is bound.
    init(of descriptor: CInt) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) { bytes in
            _ = getsockname(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
        }
        self.storage = storage
        isIPv6 = storage.ss_family == sa_family_t(AF_INET6)
    }

    /// The port, 0 to 65,535.
    var port: Int {
        withUnsafeBytes(of: storage) { bytes in
            // In both families the port follows the two bytes of the family.
            Int(UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self)))
        }
    }

    /// Returns a new non-blocking socket that listens on this address; negative with `errno` set on failure.
    func listen() -> CInt {
        let descriptor = bound()
        guard descriptor >= 0 else { return -1 }
        if Glibc.listen(descriptor, SOMAXCONN) == 0 { return descriptor }
        let code = errno
        close(descriptor)
        errno = code
        return -1
    }

    /// Returns a new non-blocking socket bound to this address; negative with `errno` set on failure. The failure is
    /// `EADDRINUSE` if another socket listens there.
    func bound() -> CInt {
        // Bits of the socket type (Linux, socket(2)); Swift does not see these two as constants of one type.
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { return -1 }
        // A restarted server may listen while connections of its predecessor are in TIME_WAIT.
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        let status = withPointer { bind(descriptor, $0, socklen_t(size)) }
        if status == 0 { return descriptor }
        let code = errno
        close(descriptor)
        errno = code
        return -1
    }

    func withPointer<Value>(_ body: (UnsafePointer<sockaddr>) -> Value) -> Value {
        withUnsafeBytes(of: storage) { bytes in
            // sockaddr_storage is aligned for, and at least as large as, every sockaddr (POSIX <sys/socket.h>).
            body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self))
        }
    }

    /// Returns the network under which connections from `address` are counted: the numeric IPv4 address, or the /64 of
    /// an IPv6 address, because one host usually has a whole /64 (RFC 7421). Empty if unknown.
    static func network(of address: UnsafePointer<sockaddr>?) -> String {
        guard let address, address.pointee.sa_family == sa_family_t(AF_INET6) else { return text(of: address) }
        var masked = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
        let isMapped = withUnsafeBytes(of: masked.sin6_addr) { bytes in
            // ::ffff:0:0/96 are IPv4 addresses (RFC 4291 section 2.5.5.2).
            bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        }
        if isMapped { return text(of: address) }
        withUnsafeMutableBytes(of: &masked.sin6_addr) { bytes in
            for index in 8..<16 { bytes[index] = 0 }
        }
        return withUnsafePointer(to: masked) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { "\(text(of: $0))/64" }
        }
    }

    /// Returns the numeric address without port; empty if unknown.
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

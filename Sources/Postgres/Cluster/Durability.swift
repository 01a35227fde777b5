/// The choice of which data an embedded cluster may lose when the server or the machine stops unexpectedly.
package enum Durability: Sendable, Hashable {
    /// Nothing that was committed is lost.
    case durable
    /// Everything may be lost when the server or the machine stops, for speed. For tests.
    case throwaway
    /// Nothing is lost if the server crashes, but data may be lost if the machine does. Tests that kill the server use
    /// it.
    case crashes

    var settings: [String] {
        switch self {
        case .durable: []
        case .throwaway: Self.withoutDisk + ["wal_level=minimal", "synchronous_commit=off", "autovacuum=off"]
        case .crashes: Self.withoutDisk
        }
    }

    private static let withoutDisk = [
        "fsync=off", "full_page_writes=off", "max_wal_senders=0", "max_connections=200",
        // In the data directory, so that the file is deleted with it.
        "dynamic_shared_memory_type=mmap",
    ]
}

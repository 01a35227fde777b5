/// How much an embedded cluster may lose when the machine stops.
package enum Durability: Sendable, Hashable {
    /// Nothing that was committed.
    case durable
    /// Everything, for speed. For tests.
    case throwaway

    var settings: [String] {
        switch self {
        case .durable: []
        case .throwaway:
            [
                "fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal",
                "max_wal_senders=0", "autovacuum=off", "max_connections=200",
                // In the data directory, so that it goes with it.
                "dynamic_shared_memory_type=mmap",
            ]
        }
    }
}

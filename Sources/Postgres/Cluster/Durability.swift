/// The choice of which data an embedded cluster may lose when the server or the machine stops unexpectedly.
package enum Durability: Sendable, Hashable {
    /// Nothing that was committed is lost.
    case durable
    /// Everything may be lost when the server or the machine stops, for speed. For tests.
    case throwaway
    /// As `throwaway`; and spaces can move between the databases of the cluster, by logical replication.
    case replicating
    /// Nothing is lost if the server crashes, but data may be lost if the machine does. Tests that kill the server use
    /// it. Spaces can move between the databases of the cluster, too.
    case crashes

    var settings: [String] {
        switch self {
        // So that spaces can move to another database of the cluster.
        case .durable: ["wal_level=logical"]
        case .throwaway:
            Self.withoutDisk + Self.forgetful + ["wal_level=minimal", "max_wal_senders=0"]
        case .replicating: Self.withoutDisk + Self.forgetful + Self.withReplication
        case .crashes: Self.withoutDisk + Self.withReplication
        }
    }

    private static let forgetful = ["synchronous_commit=off", "autovacuum=off"]

    private static let withReplication = [
        "wal_level=logical", "max_wal_senders=20", "max_replication_slots=20", "max_logical_replication_workers=16",
        "max_worker_processes=24",
        // A worker that failed is to try again soon, or to fail again.
        "wal_retrieve_retry_interval=200ms",
    ]

    private static let withoutDisk = [
        "fsync=off", "full_page_writes=off", "max_connections=200",
        // In the data directory, so that the file is deleted with it.
        "dynamic_shared_memory_type=mmap",
    ]
}

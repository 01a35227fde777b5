import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// `syncserver migrate doctor` on a cluster of its own, as `serve` creates it: first without faults, then with faults
/// of the whole server.
@Suite struct DoctorServerTests {
    /// A fault of the whole server.
    private struct Fault {
        let check: Diagnosis.Check
        let sql: String
        let object: String
        /// The SQL that fixes the fault; `nil` if the finding's own words are that SQL.
        var fixing: String?
    }

    private static let faults = [
        Fault(check: .settings, sql: "ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf()", object: "setting fsync"),
        Fault(
            check: .settings, sql: "ALTER SYSTEM SET full_page_writes = off; SELECT pg_reload_conf()",
            object: "setting full_page_writes"),
        Fault(
            check: .settings, sql: "ALTER SYSTEM SET autovacuum = off; SELECT pg_reload_conf()",
            object: "setting autovacuum"),
        Fault(
            check: .settings, sql: "ALTER ROLE syncserver_owner SET synchronous_commit = off",
            object: "setting synchronous_commit"),
        Fault(
            check: .connections, sql: "ALTER ROLE syncserver_owner CONNECTION LIMIT 5", object: "sessions"),
        Fault(
            check: .replicationSlot, sql: "SELECT pg_create_physical_replication_slot('gone')",
            object: "replication slot gone", fixing: "SELECT pg_drop_replication_slot('gone')"),
        Fault(
            check: .role, sql: "ALTER ROLE syncserver_owner SUPERUSER", object: "role syncserver_owner",
            fixing: "ALTER ROLE syncserver_owner NOSUPERUSER"),
        Fault(check: .role, sql: "ALTER ROLE syncserver_owner BYPASSRLS", object: "role syncserver_owner"),
        Fault(check: .role, sql: "ALTER ROLE syncserver_serving SUPERUSER", object: "role syncserver_serving"),
        Fault(check: .role, sql: "ALTER ROLE syncserver_serving BYPASSRLS", object: "role syncserver_serving"),
        Fault(
            check: .role, sql: "GRANT pg_write_all_data TO syncserver_serving", object: "role syncserver_serving"),
        Fault(
            check: .role, sql: "REVOKE syncserver_serving FROM syncserver_owner", object: "role syncserver_serving",
            fixing: "GRANT syncserver_serving TO syncserver_owner"),
    ]

    @Test("M30: a private cluster is in order, and each fault of a server or role is found")
    func aPrivateClusterIsInOrderAndEachFaultOfAServerIsFound() async throws {
        let cluster = try await EmbeddedCluster.start(directory: TestCluster.directory("doctor"))
        defer { cluster.demolish() }
        let lines = try Repository.migrations()
        try await Migrator(cluster.connectionString, lines: lines).up(contracts: .run)
        let doctor = try Doctor.ofRepository(cluster.connectionString)
        let clean = try await doctor.examine()
        #expect(clean.findings == [] && clean.unchecked == [] && clean.isHealthy, "\(clean)")
        let superuser = try await Session.open(cluster.superuserConnectionString.with(database: "syncserver"))
        for fault in Self.faults {
            try await superuser.run(fault.sql)
            var found: [Diagnosis.Finding] = []
            // A changed setting takes effect a moment later.
            try await eventually("\(fault.object) is found") {
                found = try await doctor.examine().findings
                return !found.isEmpty
            }
            #expect(found.map(\.check) == [fault.check] && found[0].object == fault.object, "\(found)")
            try await superuser.run(fault.fixing ?? found[0].remedy)
            try await eventually("\(fault.object) is fixed") { try await doctor.examine().findings == [] }
        }
        // Prepared transactions can be enabled only by a restart.
        try await superuser.run("ALTER SYSTEM SET max_prepared_transactions = 2")
        await superuser.close()
        try await cluster.stop()
        let again = try await EmbeddedCluster.start(directory: TestCluster.directory("doctor"))
        let session = try await Session.open(again.superuserConnectionString.with(database: "syncserver"))
        for sql in ["BEGIN", "INSERT INTO sync.directory VALUES ('none', gen_random_uuid())"] {
            try await session.run(sql)
        }
        try await session.run("PREPARE TRANSACTION 'forgotten'")
        let impatient = try Doctor.ofRepository(again.connectionString, DoctorLimits(transactionMax: .zero))
        let found = try await impatient.examine().findings.filter { $0.check == .preparedTransaction }
        #expect(found.count == 1 && found[0].object.contains("forgotten"), "\(found)")
        try await session.run("ROLLBACK PREPARED 'forgotten'")
        #expect(try await impatient.examine().findings.filter { $0.check == .preparedTransaction } == [])
        await session.close()
    }
}

extension Session {
    /// Runs a script, statement by statement.
    fileprivate func run(_ script: String) throws {
        for sql in script.split(separator: ";") where sql.contains(where: { !$0.isWhitespace }) {
            try execute(Command(Statement(unchecked: String(sql))))
        }
    }
}

import DemoApps
import HTTPServer
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncServer

/// A row of the census as a test compares it: times in seconds of the test's clock.
struct CensusRow: Hashable {
    let device: ID
    let version: String
    let first: Int64
    let last: Int64
    let outboxAge: Int64?

    init(_ device: ID, _ version: String, first: Int64, last: Int64, outboxAge: Int64? = nil) {
        (self.device, self.version) = (device, version)
        (self.first, self.last, self.outboxAge) = (first, last, outboxAge)
    }
}

extension TestDatabase {
    /// Everything that is written, by version and device.
    func censusRows(app: String = FitIQPlan.app) async throws -> [CensusRow] {
        let session = try await Session.open(superuserConnectionString)
        let rows = try await session.execute(
            Command(
                """
                SELECT device, version, extract(epoch FROM first_seen)::bigint,
                    extract(epoch FROM last_seen)::bigint, outbox_age
                FROM sync.census_device WHERE app = $1 ORDER BY version, device
                """, [.text(app)]))
        await session.close()
        return (0..<rows.count).map { row in
            CensusRow(
                rows.id(row, 0), rows.string(row, 1), first: rows.int(row, 2), last: rows.int(row, 3),
                outboxAge: rows.intIfPresent(row, 4))
        }
    }

    /// The transactions that wrote each row: a row that is written again has another one.
    func censusWrites() async throws -> [String] {
        let session = try await Session.open(superuserConnectionString)
        let rows = try await session.execute(
            "SELECT device || ' ' || version || ' ' || xmin::text FROM sync.census_device ORDER BY 1")
        await session.close()
        return (0..<rows.count).map { rows.string($0, 0) }
    }
}

extension TestServer {
    /// A pull from this process or another, that may say how old the oldest unsent change is.
    ///
    /// - Returns: the answer's status.
    @discardableResult
    func pull(
        as device: ID?, _ version: String, outboxAge: String? = nil, from other: RunningServer? = nil
    ) async throws -> Int {
        let headers = headers(changing: [
            "Device-Id": device?.description, "Schema-Version": version, "Outbox-Age": outboxAge,
        ])
        return try await TestClient(port: (other ?? service).port).request("GET", path(), headers: headers).status
    }
}

import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

extension TestServer {
    /// Collects what is older than so many days, and returns how many tombstones went.
    @discardableResult
    func collect(olderThanDays days: Int64 = 180) async throws -> Int {
        let reports = try #require(try await service.collect(olderThan: .seconds(days * 86_400)))
        return reports.reduce(0) { $0 + $1.tombstones }
    }

    /// Returns the number of rows of a table, dead ones included, in all spaces.
    func rowCount(_ table: String) async throws -> Int {
        try await asSuperuser("SELECT count(*) FROM \(table)")
    }

    /// The highest horizon of all spaces.
    func horizon() async throws -> Int {
        try await asSuperuser("SELECT coalesce(max(horizon), 0) FROM sync.space")
    }

    /// The first column of the first row, as a superuser reads it.
    func number(_ sql: String) async throws -> Int {
        try await asSuperuser(sql)
    }

    private func asSuperuser(_ sql: String) async throws -> Int {
        let session = try await Session.open(database.superuserConnectionString)
        let rows = try await session.execute(Command(Statement(unchecked: sql)))
        await session.close()
        return Int(rows.int(0, 0))
    }
}

extension TestWallClock {
    func advance(days: Int64) { advance(seconds: days * 86_400) }
}

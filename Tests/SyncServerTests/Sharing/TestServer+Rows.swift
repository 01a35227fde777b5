import Postgres
import SyncTestSupport
import SyncTesting
import WireFormats

extension TestServer {
    /// Returns the number of rows of a space in each table of the catalogue.
    func rows(of space: ID) async throws -> [String: Int64] {
        let session = try await Session.open(database.superuserConnectionString)
        let tables = try await session.execute(
            """
            SELECT n.nspname || '.' || c.relname, a.attname FROM pg_class AS c
                JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE n.nspname IN ('sync', 'fitiq') AND c.relkind IN ('r', 'p') AND a.attname IN ('space_id', 'space')
                AND NOT a.attisdropped AND c.relname NOT IN ('space', 'erasure')
            """)
        var found: [String: Int64] = [:]
        for row in 0..<tables.count {
            let (table, column) = (tables.string(row, 0), tables.string(row, 1))
            let count = try await session.execute(
                Command(Statement(unchecked: "SELECT count(*) FROM \(table) WHERE \(column) = $1"), [.id(space)]))
            if count.int(0, 0) > 0 { found[table] = count.int(0, 0) }
        }
        await session.close()
        return found
    }
}

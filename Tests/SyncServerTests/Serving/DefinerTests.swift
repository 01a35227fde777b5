import DemoApps
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Functions that run with their owner's powers: a caller lends them none of its own tables, types or functions.
@Suite struct DefinerTests {
    /// Objects in a caller's temporary schema, which must not mislead `sync.recognize`.
    private static let traps = [
        [
            "CREATE TEMP TABLE pg_database AS SELECT 1::oid AS oid, current_database() AS datname",
            "GRANT SELECT ON pg_temp.pg_database TO PUBLIC",
        ],
        [
            """
            CREATE FUNCTION pg_temp.steal(x pg_catalog.text) RETURNS boolean LANGUAGE plpgsql AS
            $$ BEGIN UPDATE sync.server SET epoch = pg_catalog.gen_random_uuid(); RETURN true; END $$
            """,
            "CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (pg_temp.steal(VALUE))",
        ],
    ]

    @Test(arguments: traps) func aCallersTemporaryObjectsAreNotFound(trap: [String]) async throws {
        try await withTestServer { server in
            // It knows where it is.
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            let before = try await server.epoch()
            let session = try await Session.open(
                server.database.servingConnectionString, role: "syncserver_serving")
            for sql in trap { try await session.execute(Command(Statement(unchecked: sql))) }
            // Whether it finds them and fails, or does not, is all the same.
            _ = try? await session.execute(Spaces.recognizing)
            await session.close()
            #expect(try await server.epoch() == before)
        }
    }

    /// Also of what the apps' files make, and what comes later.
    @Test func everyOneLooksIntoTemporarySchemasLast() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let schemas = try ["sync"] + DemoApps.all.map { try Plan($0).hub.schema }
            let session = try await Session.open(database.superuserConnectionString)
            let rows = try await session.execute(
                Command(
                    """
                    SELECT p.oid::regprocedure::text FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
                    WHERE n.nspname = ANY ($1) AND (p.prosecdef OR n.nspname = 'sync')
                        AND 'search_path=pg_catalog, pg_temp' <> ALL (coalesce(p.proconfig, '{}'))
                    """, [.texts(schemas)]))
            let some = try await session.execute(
                "SELECT count(*) FROM pg_proc WHERE pronamespace = 'sync'::regnamespace AND prosecdef")
            await session.close()
            #expect((0..<rows.count).map { rows.string($0, 0) } == [])
            #expect(some.int(0, 0) >= 7)
        }
    }
}

extension TestServer {
    fileprivate func epoch() async throws -> ID {
        let session = try await Session.open(database.superuserConnectionString)
        let epoch = try await session.execute("SELECT epoch FROM sync.server").id(0, 0)
        await session.close()
        return epoch
    }
}

import Foundation
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncServer

/// Nothing that a user wrote reaches the log, whatever PostgreSQL says about it.
@Suite struct LogSecrecyTests {
    /// Statements that make PostgreSQL quote the notes of a meal, and whether the push then fails as a whole.
    private static let quoting = [
        (
            """
            CREATE FUNCTION fitiq.quote() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'no %', NEW.notes USING DETAIL = NEW.notes, HINT = NEW.notes; END $$;
            CREATE TRIGGER quote BEFORE INSERT ON fitiq.sd_meal FOR EACH ROW EXECUTE FUNCTION fitiq.quote()
            """, true
        ),
        (
            """
            CREATE FUNCTION fitiq.quote() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE USING ERRCODE = '42501', MESSAGE = NEW.notes, DETAIL = NEW.notes; END $$;
            CREATE TRIGGER quote BEFORE INSERT ON fitiq.sd_meal FOR EACH ROW EXECUTE FUNCTION fitiq.quote()
            """, true
        ),
        ("CREATE UNIQUE INDEX once ON fitiq.sd_meal (space_id, notes)", false),
        ("ALTER TABLE fitiq.sd_meal ADD CONSTRAINT number CHECK (notes::bigint > 0)", false),
    ]

    @Test(arguments: quoting) func noValueReachesTheLog(sql: String, fails: Bool) async throws {
        let lines = LogLines()
        try await withTestServer(log: lines.log) { server in
            let session = try await Session.open(server.database.superuserConnectionString)
            for statement in sql.components(separatedBy: ";\n") {
                try await session.execute(Command(Statement(unchecked: statement)))
            }
            await session.close()
            let meals = (1...2).map { _ in JSONValue.create("SDMeal", .random(), ["notes": "hush"], at: nil) }
            let reply = try await server.post(meals)
            #expect(reply.isProblem(500, "internal") == fails, "\(reply)")
            #expect(fails || reply.text.contains("held"), "\(reply)")
        }
        #expect(!lines.all.isEmpty && !lines.all.contains { $0.contains("hush") }, "\(lines.all)")
    }
}

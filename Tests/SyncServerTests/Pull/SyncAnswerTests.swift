import SyncTestSupport
import Testing
import WireFormats

/// A sync says what it has stored, also where it cannot pull.
@Suite struct SyncAnswerTests {
    @Test("P1: a sync whose pull fails reports what it stored, and that there is more")
    func theStoredChangesAreReportedThoughThePullFails() async throws {
        try await withTestServer { server in
            // At the push's commit the serving role loses what a pull reads.
            try await server.asOwner(
                """
                CREATE FUNCTION fitiq.shut() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
                    REVOKE SELECT ON fitiq.sd_progress_entry FROM syncserver_serving;
                    RETURN NULL;
                END $$
                """)
            try await server.asOwner(
                """
                CREATE CONSTRAINT TRIGGER shut AFTER INSERT ON fitiq.sd_meal DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION fitiq.shut()
                """)
            let id = ID.random()
            let changes: JSONValue = [
                .create("SDMeal", id, ["notes": "soup"], at: moment(1)),
                .update("SDMeal", id, ["nothing": 1], at: moment(2)),
            ]
            let body = JSONValue.object(["changes": changes])
            let reply = try await server.send("POST", server.path("sync"), body: body.bytes)
            #expect(reply.status == 200, "\(reply)")
            #expect(reply.json["applied"] == 1 && reply.json["results"].elements.count == 1)
            #expect(reply.json["more"] == true && reply.json["changes"] == [])

            // The next pull says what is wrong, and once that is fixed, the cursor leads on.
            let cursor = try #require(reply.json["cursor"].string)
            let target = "\(server.path())?cursor=\(cursor)"
            #expect(try await server.send("GET", target, changing: ["Device-Id": nil]).isProblem(500, "internal"))
            try await server.asOwner("GRANT SELECT ON fitiq.sd_progress_entry TO syncserver_serving")
            let page = try await server.send("GET", target, changing: ["Device-Id": nil])
            #expect(page.json["more"] == false)
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description]?["notes"] == "soup")
        }
    }
}

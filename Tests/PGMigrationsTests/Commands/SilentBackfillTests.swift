import DemoApps
import PGMigrations
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// The bytes that a backfill costs devices that have everything: none for a silent backfill, whatever it changes.
@Suite struct SilentBackfillTests {
    private static let versions = ["0.0.1", "0.0.3", "0.0.6", "0.0.8", "0.0.9", "0.1.1"]

    @Test("M19: a silent backfill of every row sends no device a byte")
    func aSilentBackfillOfEveryRowSendsNoDeviceAByte() async throws {
        let outcome = try await Self.run { entity in
            // The values that devices read of meals change, too, and devices do not receive them.
            let words = entity.identity == "SDMeal" ? ", notes = 'behind everybody''s back'" : ""
            return Self.step(entity, "silent", set: "shade = 'none'\(words)")
        }
        #expect(outcome.rows > 50, "Hardly anything was changed.")
        for device in outcome.devices {
            #expect(device.after.records.isEmpty && device.before.records.isEmpty, "\(device.version)")
            #expect(device.after.bytes == device.before.bytes, "\(device.version)")
            #expect(device.after.body == device.before.body, "\(device.version)")
            print("silent backfill: \(device), \(outcome.rows) rows changed")
        }
    }

    @Test("M19: a republishing backfill sends each record of its entity once to devices that have it")
    func aRepublishingOneSendsEachRecordOfItsEntityOnceToWhoHasIt() async throws {
        let outcome = try await Self.run { entity in
            let effect = entity.identity == "SDMeal" ? "republish(SDMeal)" : "silent"
            return Self.step(entity, effect, set: "shade = 'none'")
        }
        #expect(outcome.meals.count > 4)
        for device in outcome.devices {
            let hasMeals = try #require(Schema.Version(device.version)) >= Schema.Version(0, 0, 6)
            #expect(Set(device.after.records) == (hasMeals ? outcome.meals : []), "\(device.version)")
            #expect(device.after.records.count == (hasMeals ? outcome.meals.count : 0), "\(device.version)")
            #expect(!hasMeals || device.after.bytes > device.before.bytes + 100 * outcome.meals.count)
            print("republishing backfill: \(device), \(outcome.meals.count) meals")
        }
    }

    @Test("M19: records that an ordinary step republishes are sent once to devices that have them")
    func whatAnOrdinaryStepRepublishesIsSentOnceToWhoHasIt() async throws {
        let outcome = try await Self.run { entity in
            let isMeal = entity.identity == "SDMeal"
            return """
                -- phase: expand
                -- sync: \(isMeal ? "republish(SDMeal)" : "silent")
                UPDATE fitiq.\(entity.table) SET shade = 'none';

                """
        }
        #expect(outcome.meals.count > 4)
        for device in outcome.devices {
            let hasMeals = try #require(Schema.Version(device.version)) >= Schema.Version(0, 0, 6)
            #expect(Set(device.after.records) == (hasMeals ? outcome.meals : []), "\(device.version)")
            #expect(device.after.records.count == (hasMeals ? outcome.meals.count : 0), "\(device.version)")
        }
    }

    // MARK: Devices

    /// A pull without news, or the pull after a backfill.
    private struct Poll {
        /// The size of headers and body, in bytes.
        let bytes: Int
        let body: String
        /// The ids of the received records.
        let records: [String]
    }

    private struct Device: CustomStringConvertible {
        let version: String
        let before: Poll
        let after: Poll

        var description: String {
            "\(version) got \(before.bytes) bytes before and \(after.bytes) after, \(after.records.count) records"
        }
    }

    private struct Outcome {
        let devices: [Device]
        /// The number of rows that the backfill changed.
        let rows: Int64
        /// The ids of the living meals.
        let meals: Set<String>
    }

    /// Fills a space from devices of several versions, which then pull everything; runs `step` for each table; and lets
    /// each device pull once more.
    private static func run(_ step: (HubEntity) -> String) async throws -> Outcome {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let now = Timestamp.now
        // All happens at one time, so that responses differ only in their records.
        return try await withTestServer(now: { now }) { server in
            let filling = SpaceFilling(server.plan, recordsPerEntity: 24, using: &random)
            let newest = server.plan.schemas.count - 1
            try await server.device().push(
                filling.creations(in: newest, from: 0, using: &random)
                    // Only meals are deleted: other deletions would cascade, perhaps to all records.
                    + filling.deletions(in: newest, from: 10_000, using: &random).filter { $0["entity"] == "SDMeal" })
            let devices = versions.map { server.device($0) }
            for device in devices { try await device.pullAll() }
            var before: [Poll] = []
            for device in devices { before.append(try await poll(device, server)) }
            try await migrate(server, server.plan.hub.entities.map(step))
            var outcome: [Device] = []
            for (device, before) in zip(devices, before) {
                let after = try await poll(device, server)
                outcome.append(Device(version: device.version, before: before, after: after))
            }
            return Outcome(devices: outcome, rows: try await changedRows(server), meals: try await meals(server))
        }
    }

    /// Pulls one page, without advancing the device's cursor.
    private static func poll(_ device: TestDevice, _ server: TestServer) async throws -> Poll {
        let cursor = try #require(await device.cursor)
        let reply = try await server.send(
            "GET", "\(server.path())?cursor=\(cursor)",
            changing: ["Schema-Version": device.version, "Device-Id": device.id?.description])
        #expect(reply.status == 200 && reply.json["more"] == false, "\(reply)")
        let headers = reply.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + ": \r\n".utf8.count }
        return Poll(
            bytes: headers + reply.body.count, body: reply.text,
            records: reply.json["changes"].elements.compactMap { $0["id"].string })
    }

    // MARK: The backfill

    private static func step(_ entity: HubEntity, _ effect: String, set: String) -> String {
        """
        -- phase: backfill
        -- migrate: table=fitiq.\(entity.table) batch=7
        -- sync: \(effect)
        UPDATE fitiq.\(entity.table) AS record SET \(set) FROM batch
        WHERE (record.space_id, record.id) = (batch.space_id, batch.id);

        """
    }

    private static func migrate(_ server: TestServer, _ steps: [String]) async throws {
        let columns = server.plan.hub.entities.map { "ALTER TABLE fitiq.\($0.table) ADD COLUMN shade text;\n" }
        let text = "-- phase: expand\n\(columns.joined())\(steps.joined())"
        let lines = try Repository.migrations().map { line in
            guard line.name == "fitiq" else { return line }
            let file = try MigrationFile(
                line: "fitiq", fileName: "0013-shade-everything.sql", bytes: Array(text.utf8))
            return try MigrationLine(name: line.name, files: line.files + [file])
        }
        let migrator = Migrator(
            server.database.connectionString, lines: lines, limits: MigratorLimits(backfillShare: 1))
        #expect(try await migrator.up().applied == ["fitiq/0013-shade-everything.sql"])
    }

    private static func changedRows(_ server: TestServer) async throws -> Int64 {
        let all = server.plan.hub.entities.map { "SELECT shade FROM fitiq.\($0.table)" }
            .joined(separator: " UNION ALL ")
        let counts = try await rows(server, "SELECT count(shade), count(*) FROM (\(all)) AS every")
        #expect(counts.int(0, 0) == counts.int(0, 1), "A row was left out.")
        return counts.int(0, 0)
    }

    private static func meals(_ server: TestServer) async throws -> Set<String> {
        let rows = try await rows(server, "SELECT id::text FROM fitiq.sd_meal WHERE alive")
        return Set((0..<rows.count).map { rows.string($0, 0) })
    }

    private static func rows(_ server: TestServer, _ sql: String) async throws -> Rows {
        let session = try await Session.open(server.database.superuserConnectionString)
        let rows = try await session.execute(Command(Statement(unchecked: sql)))
        await session.close()
        return rows
    }
}

import DemoApps
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Docs/security.md, row 19: what a deleted record held is not kept for as long as its tombstone.
@Suite struct ClearingTests {
    private let profile = ID.random()
    private let meal = ID.random()
    private let item = ID.random()
    private let clock = TestWallClock(seconds: 1_900_000_000)

    @Test func whatADeletedRecordHeldGoesAfterAMonthAndItsTombstoneStays() async throws {
        try await withTestServer(now: clock.now) { server in
            let (device, away) = (server.device(), server.device())
            try await device.push([
                .create("SDMeal", meal, ["notes": "secret soup", "mealType": "lunch"], at: now()),
                .create("SDMeal", item, ["notes": "no secret"], at: now()),
            ])
            try await away.pullAll()
            try await device.push([.delete("SDMeal", meal, at: now() + 1)])
            try await server.collect()
            clock.advance(days: 29)
            try await server.collect()
            #expect(try await server.texts("secret soup") == 1)
            clock.advance(days: 2)
            try await server.collect()
            #expect(try await server.texts("secret soup") == 0)
            #expect(try await server.texts("no secret") == 1)
            #expect(try await server.rowCount("fitiq.sd_meal") == 2)
            // Again: nothing, and nothing moves.
            let before = try await server.contents()
            try await server.collect()
            #expect(try await server.contents() == before)

            // The device that was away receives it, and its late edit changes nothing.
            try await away.push([.update("SDMeal", meal, ["mealType": "dinner"], at: now())])
            try await away.sync()
            #expect(await away.holds("SDMeal", meal) == false)
            #expect(await away.holds("SDMeal", item))

            // Created again, it has what is said now, and what a new record has.
            try await device.push([.create("SDMeal", meal, ["mealType": "snack"], at: now() + 2)])
            try await away.sync()
            #expect(await away.value("SDMeal", meal, "mealType") == "snack")
            #expect(await away.value("SDMeal", meal, "notes") == .null)
        }
    }

    @Test func whatWentWithItGoesWithItAndOfAYoungerTombstoneStays() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = server.device()
            try await device.push([
                .create("SDUserProfileV11", profile, ["name": "Ada"], at: now()),
                .create("SDMeal", meal, ["userProfile": .id(profile), "notes": "secret soup"], at: now()),
                .create("SDMealLogItem", item, ["mealLog": .id(meal), "name": "secret leek"], at: now()),
                .delete("SDUserProfileV11", profile, at: now() + 1),
            ])
            try await server.collect()
            // With its deletion sent anew, the profile has a younger number than what went with it.
            clock.advance(days: 29)
            try await device.push([.delete("SDUserProfileV11", profile, at: now() + 2)])
            try await server.collect()
            clock.advance(days: 2)
            try await server.collect()
            #expect(try await server.texts("secret soup") == 1)
            #expect(try await server.texts("secret leek", in: "sd_meal_log_item") == 1)
            try await device.push([.create("SDUserProfileV11", profile, ["name": "Ada"], at: now() + 3)])
            #expect(try await server.view("0.1.1")["SDMeal"]?[meal.description]?["notes"] == "secret soup")

            try await device.push([.delete("SDUserProfileV11", profile, at: now() + 4)])
            clock.advance(days: 1)
            try await server.collect()
            clock.advance(days: 31)
            try await server.collect()
            #expect(try await server.texts("secret soup") == 0)
            #expect(try await server.texts("secret leek", in: "sd_meal_log_item") == 0)
            // It comes back alone: its meals would be empty.
            try await device.push([.create("SDUserProfileV11", profile, ["name": "Ada"], at: now() + 5)])
            let view = try await server.view("0.1.1")
            #expect(view["SDUserProfileV11"]?.count == 1)
            #expect(view["SDMeal"]?.isEmpty ?? true)
            #expect(view["SDMealLogItem"]?.isEmpty ?? true)
        }
    }

    @Test func aTombstoneThatGoesWithinAMonthIsNotClearedFirst() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = server.device()
            try await device.push([
                .create("SDMeal", meal, ["notes": "secret soup"], at: now()), .delete("SDMeal", meal, at: now() + 1),
            ])
            try await server.collect(olderThanDays: 20)
            clock.advance(days: 19)
            try await server.collect(olderThanDays: 20)
            #expect(try await server.texts("secret soup") == 1)
            clock.advance(days: 2)
            #expect(try await server.collect(olderThanDays: 20) == 1)
        }
    }

    /// Every table of every app takes what a deleted record is left as.
    @Test(
        arguments: [FitIQPlan.self, KeepTrackPlan.self, AllesTeurerPlan.self, EasitOpenPlan.self]
            as [any SchemaMigrationPlan.Type])
    func allTablesCanBeCleared(app: any SchemaMigrationPlan.Type) async throws {
        try await withTestServer(app, now: clock.now) { server in
            var fleet = RandomFleet(server.plan, seed: 1, isLinking: false)
            for (index, schema) in server.plan.schemas.enumerated() {
                let device = server.device(schema.version.description)
                try await device.push(fleet.changes(by: index, count: 100))
                let ids = fleet.records
                let deletions = server.plan.projections[index].compactMap { $0 }.flatMap { projection in
                    ids[projection.entity].map { JSONValue.delete(projection.name, $0, at: now()) }
                }
                try await device.send(deletions, intent: "mass-deletion")
            }
            try await server.collect()
            clock.advance(days: 31)
            let reports = try #require(try await server.service.collect(olderThan: .seconds(180 * 86_400)))
            #expect(reports.allSatisfy(\.unclearable.isEmpty) && reports.contains { $0.cleared > 0 })
            for entity in server.plan.hub.entities {
                let table = "\(server.plan.hub.schema).\(entity.table)"
                #expect(try await server.number("SELECT count(*) FROM \(table) WHERE alive OR stamps <> '\\x00'") == 0)
            }
        }
    }

    /// An operator's own constraint keeps the contents of its table, and nothing else.
    @Test func aConstraintThatTakesNoEmptyRecordIsReported() async throws {
        try await withTestServer(now: clock.now) { server in
            let session = try await Session.open(server.database.superuserConnectionString)
            try await session.execute("ALTER TABLE fitiq.sd_meal ADD CHECK (notes <> '' AND notes IS NOT NULL)")
            await session.close()
            let device = server.device()
            try await device.push([
                .create("SDMeal", meal, ["notes": "secret soup"], at: now()),
                .create("SDUserProfileV11", profile, ["name": "secret Ada"], at: now()),
                .delete("SDMeal", meal, at: now() + 1), .delete("SDUserProfileV11", profile, at: now() + 1),
            ])
            try await server.collect()
            clock.advance(days: 31)
            let reports = try #require(try await server.service.collect(olderThan: .seconds(180 * 86_400)))
            #expect(reports.reduce(Set()) { $0.union($1.unclearable) } == ["\"fitiq\".\"sd_meal\""])
            #expect(try await server.texts("secret soup") == 1)
            #expect(try await server.texts("secret Ada", in: "sd_user_profile") == 0)
        }
    }

    private func now() -> Int64 { clock.stamp(ahead: 0) }
}

extension TestServer {
    /// Returns the number of rows of a table that contain a text, in any column.
    fileprivate func texts(_ text: String, in table: String = "sd_meal") async throws -> Int {
        try await number("SELECT count(*) FROM fitiq.\(table) AS r WHERE r::text LIKE '%\(text)%'")
    }
}

import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// The horizon: which tombstones are collected, and when. See docs/internals/time.md, *Horizon*.
@Suite struct CollectingTests {
    private let old = ID.random()
    private let young = ID.random()
    private let kept = ID.random()
    private let profile = ID.random()
    private let meal = ID.random()
    private let clock = TestWallClock(seconds: 1_900_000_000)

    @Test func oldTombstonesGoAndYoungerOnesStay() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = server.device()
            try await device.push([old, young, kept].map { .create("SDMeal", $0, at: now()) })
            try await device.push([.delete("SDMeal", old, at: now() + 1)])
            #expect(try await server.collect() == 0)
            clock.advance(days: 10)
            try await device.push([.delete("SDMeal", young, at: now() + 1)])
            #expect(try await server.collect() == 0)
            clock.advance(days: 171)
            #expect(try await server.collect() == 1)
            #expect(try await server.rowCount("fitiq.sd_meal") == 2)
            #expect(try await server.horizon() == 4)
            // Again: nothing, and nothing moves.
            let before = try await server.contents()
            #expect(try await server.collect() == 0)
            #expect(try await server.contents() == before)
            clock.advance(days: 10)
            #expect(try await server.collect() == 1)
            #expect(try await server.rowCount("fitiq.sd_meal") == 1)
            #expect(try await server.view("0.1.1")["SDMeal"]?.keys.sorted() == [kept.description])
        }
    }

    /// A device whose clock is years behind deletes: that is as old as it is by the server's clock.
    @Test func aWrongClockDoesNotMakeATombstoneOld() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = server.device()
            let longAgo = clock.stamp(ahead: -3 * 365 * 86_400)
            try await device.push([.create("SDMeal", old, at: longAgo), .delete("SDMeal", old, at: longAgo + 1)])
            #expect(try await server.collect() == 0)
            clock.advance(days: 179)
            #expect(try await server.collect() == 0)
            #expect(try await server.rowCount("fitiq.sd_meal") == 1)
        }
    }

    @Test func clampedStampsAreForgottenWhenTheyAreOld() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.device().push([.create("SDMeal", old, at: clock.stamp(ahead: 3600))])
            clock.advance(days: 170)
            try await server.device().push([.create("SDMeal", young, at: clock.stamp(ahead: 3600))])
            clock.advance(days: 11)
            try await server.collect()
            #expect(try await server.rowCount("sync.clamp") == 1)
        }
    }

    /// Children went with their parent a year ago; it was deleted again yesterday, and may be created again.
    @Test func whatWentWithAYoungerTombstoneStaysAndComesBackWithIt() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = server.device()
            let item = ID.random()
            try await device.push([
                .create("SDUserProfileV11", profile, ["name": "Ada"], at: now()),
                .create("SDMeal", meal, ["userProfile": .id(profile), "notes": "soup"], at: now()),
                .create("SDMealLogItem", item, ["mealLog": .id(meal)], at: now()),
                .delete("SDUserProfileV11", profile, at: now() + 1),
            ])
            try await server.collect()
            clock.advance(days: 364)
            try await device.push([.delete("SDUserProfileV11", profile, at: now())])
            #expect(try await server.collect() == 0)
            clock.advance(days: 1)
            #expect(try await server.collect() == 0)
            try await device.push([.create("SDUserProfileV11", profile, ["name": "Ada again"], at: now())])
            let view = try await server.view("0.1.1")
            #expect(view["SDMeal"]?[meal.description]?["notes"] == "soup")
            #expect(view["SDMealLogItem"]?[item.description] != nil)
        }
    }

    /// A parent goes only after all that went with it: a late edit must not bring a child back alone.
    @Test func aParentStaysUntilWhatWentWithItIsGone() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = server.device()
            try await device.push([
                .create("SDUserProfileV11", profile, ["name": "Ada"], at: now()),
                .delete("SDUserProfileV11", profile, at: now() + 1),
            ])
            try await server.collect()
            clock.advance(days: 179)
            // Dead on arrival, and young.
            try await device.push([.create("SDMeal", meal, ["userProfile": .id(profile)], at: now())])
            try await server.collect()
            clock.advance(days: 2)
            #expect(try await server.collect() == 0)
            try await device.push([.update("SDMeal", meal, ["notes": "late"], at: now())])
            #expect(try await server.view("0.1.1")["SDMeal", default: [:]].isEmpty)
            try await server.collect()
            clock.advance(days: 181)
            #expect(try await server.collect() == 2)
            #expect(try await server.rowCount("fitiq.sd_user_profile") == 0)
        }
    }

    /// More than one transaction removes, children before their parent.
    @Test func aLargeCascadeIsCollectedInSteps() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = server.device()
            try await device.push([.create("SDUserProfileV11", profile, ["name": "Ada"], at: now())])
            try await device.push(
                (0..<1200).map { _ in .create("SDMeal", .random(), ["userProfile": .id(profile)], at: now()) })
            try await device.send([.delete("SDUserProfileV11", profile, at: now() + 1)], intent: "mass-deletion")
            #expect(try await server.collect(olderThanDays: 0) == 1201)
            #expect(try await server.rowCount("fitiq.sd_meal") == 0)
            #expect(try await server.horizon() == 2402)
        }
    }

    @Test func spacesAreCollectedEachByItself() async throws {
        try await withTestServer(now: clock.now) { server in
            let other = ID.random()
            let token = try await server.makeToken(spaces: [other])
            let (mine, theirs) = (server.device(), server.device(space: other, token: token))
            try await mine.push([.create("SDMeal", old, at: now()), .delete("SDMeal", old, at: now() + 1)])
            try await server.collect()
            clock.advance(days: 100)
            try await theirs.push([.create("SDMeal", old, at: now()), .delete("SDMeal", old, at: now() + 1)])
            clock.advance(days: 81)
            #expect(try await server.collect() == 1)
            #expect(try await server.rowCount("fitiq.sd_meal") == 1)
            // Theirs was not touched, and neither was their horizon.
            try await theirs.pullAll()
        }
    }

    /// The space's lock orders them: whoever is first, the numbers have no gap and nothing waits for itself.
    @Test func collectingRunsBesidePushes() async throws {
        try await withTestServer(now: clock.now) { server in
            let stamp = now()
            try await withThrowingTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        let device = server.device()
                        for _ in 0..<20 {
                            let id = ID.random()
                            // Without a cursor, which would expire each time.
                            try await device.send([
                                .create("SDMeal", id, at: stamp), .create("SDMeal", .random(), at: stamp),
                                .delete("SDMeal", id, at: stamp + 1),
                            ])
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<20 { try await server.collect(olderThanDays: 0) }
                }
                try await group.waitForAll()
            }
            try await server.collect(olderThanDays: 0)
            #expect(try await server.rowCount("fitiq.sd_meal") == 60)
            #expect(try await server.view("0.1.1")["SDMeal"]?.count == 60)
            // A push of three changes gives two numbers: what is created and deleted in one is one record.
            #expect(try await server.device().pullPage().head == 120)
        }
    }

    @Test func onlyOneProcessCollectsAtATime() async throws {
        try await withTestServer(now: clock.now) { server in
            let session = try await server.database.session()
            #expect(try await CollectorLock.take(session))
            #expect(try await server.service.collect(olderThan: .zero) == nil)
            await session.close()
        }
    }

    @Test func aServerCollectsInTheBackgroundUntilItIsStopped() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.device().push([
                .create("SDMeal", old, at: now()), .delete("SDMeal", old, at: now() + 1),
            ])
            let schedule = CollectionSchedule(age: .zero, interval: .milliseconds(1))
            try await withThrowingTaskGroup { group in
                group.addTask { await server.service.collect(on: schedule) }
                try await eventually("collected") { try await server.rowCount("fitiq.sd_meal") == 0 }
                group.cancelAll()
                try await group.waitForAll()
            }
            // It has let the lock go.
            #expect(try await server.collect(olderThanDays: 0) == 0)
        }
    }

    @Test func theCommandCountsAndCollects() async throws {
        try await withTestServer { server in
            try await server.device().push([
                .create("SDMeal", old, at: moment(1)), .delete("SDMeal", old, at: moment(2)),
            ])
            func run(_ words: [String]) async throws -> String {
                let run = try await CommandRun(["gc"] + words, database: server.database.connectionString)
                #expect(run.status == 0, "\(run.errors)")
                return run.output
            }
            #expect(try await run(["--older-than", "0d", "--app", "fitiq", "--dry-run"]).contains("at most 1 tombst"))
            #expect(try await run(["--app", "fitiq", "--json"]).contains(#""tombstones":0"#))
            #expect(try await run(["--older-than", "0d", "--json"]).contains(#""tombstones":1"#))
            #expect(try await server.rowCount("fitiq.sd_meal") == 0)
            let wrong = try await CommandRun(["gc", "--older-than", "soon"])
            #expect(wrong.status == 2 && wrong.errors.contains("180d"))
        }
    }

    private func now() -> Int64 { clock.stamp(ahead: 0) }
}

import DemoApps
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Law 8: an updated app is sent what its older version could not see, and nothing that it can work out.
@Suite struct WideningTests {
    private let meal = ID.random()

    /// Every pair of versions of every app, in pages of one and in large ones.
    @Test(
        "S1_11, S2_12, S4_13, S5_13, S5_14: an upgrade from any version with data equals a reinstall",
        arguments: DemoApps.all.indices, [7, UInt64.random(in: 8 ... .max)])
    func anUpgradeEqualsAReinstall(app: Int, seed: UInt64) async throws {
        try await withTestServer(DemoApps.all[app]) { server in
            let plan = server.plan
            var fleet = RandomFleet(plan, seed: seed)
            try await write(&fleet, rounds: 16, to: server)
            var olds: [TestDevice] = []
            var (sent, whole) = (0, 0)
            for version in plan.schemas.indices {
                let old = server.device(version: version)
                // One in three has not read to the end, but past tombstones; and one in three goes on writing after its
                // last pull.
                if version % 3 == 1 {
                    while try await old.pullPage(limit: 11).more, await old.store.withoutEmpty.isEmpty {}
                } else {
                    try await old.pullAll()
                }
                if version % 3 == 2 { try await old.push(fleet.changes(by: version, count: 4)) }
                #expect(await !old.store.withoutEmpty.isEmpty, "it has something to lose")
                olds.append(old)
            }
            try await write(&fleet, rounds: 6, to: server)
            for newer in plan.schemas.indices.dropFirst() {
                let fresh = try await server.view("\(plan.schemas[newer].version)").withoutEmpty
                for older in 0..<newer {
                    for limit in [1, 5000] {
                        let device = try await server.upgraded(olds[older], from: older, to: newer)
                        sent += try await device.pullAll(limit: limit).count
                        whole += fresh.values.reduce(0) { $0 + $1.count }
                        let store = await device.store.withoutEmpty
                        let differences = store.differences(from: fresh)
                        let about = "\(plan.app), seed \(seed), \(older) to \(newer), pages of \(limit)"
                        #expect(differences == [], "\(about)")
                    }
                }
            }
            print("\(plan.app), seed \(seed): \(sent) records sent for \(whole)")
            #expect(whole > 0)
        }
    }

    /// The device pushes with the cursor it has before and between the pages, and others write at the same time.
    @Test(arguments: [7, UInt64.random(in: 8 ... .max)])
    func anUpgradeGoesOnWhileEverybodyWrites(seed: UInt64) async throws {
        try await withTestServer { server in
            let plan = server.plan
            var fleet = RandomFleet(plan, seed: seed)
            try await write(&fleet, rounds: 10, to: server)
            for older in [0, 2, 5, 7, 8, 9] {
                let old = server.device(version: older)
                try await old.pullAll()
                try await write(&fleet, rounds: 2, to: server)
                let device = try await server.upgraded(old, from: older, to: plan.newest)
                var rounds = 0
                repeat {
                    rounds += 1
                    if rounds < 12 {
                        try await device.push(fleet.changes(by: plan.newest, count: 2))
                        try await write(&fleet, rounds: 1, to: server)
                    }
                } while try await device.pullPage(limit: 5).more
                try await device.pullAll()
                let fresh = try await server.view("\(plan.schemas[plan.newest].version)").withoutEmpty
                let differences = await device.store.withoutEmpty.differences(from: fresh)
                #expect(differences == [], "seed \(seed), from \(older)")
            }
        }
    }

    @Test(
        "S3_10: an attribute at its default is written by nobody and sent to nobody",
        arguments: [("0.0.9", "0.1.0", "SDUserProfileV10"), ("0.0.6", "0.0.7", "SDMealLogItem")])
    func anAttributeThatIsEverywhereAtItsDefaultIsNotSent(from: String, to: String, entity: String) async throws {
        try await withTestServer { server in
            let older = try #require(Schema.Version(from).flatMap { server.plan.index(of: $0) })
            let new = try #require(server.plan.projection(version: older + 1, named: entity))
            let before = try #require(server.plan.projections[older][new.entity])
            #expect(new.fields.contains { field in !before.fields.contains { $0.column == field.column } })
            try await server.device(to).push((0..<20).map { _ in .create(entity, .random(), at: moment(1)) })
            let old = server.device(from)
            try await old.pullAll()
            let contents = try await server.contents()
            let device = try await server.upgraded(old, from: older, to: older + 1)
            let page = try await device.pullPage()
            #expect(page.changes.isEmpty && !page.more)
            #expect(try await server.contents() == contents)
            #expect(await device.store == (try await server.view(to)))
            #expect(await device.store[entity]?.count == 20)
        }
    }

    @Test("S1_09: a device that updates is sent the photos that others added before, though its cursor is past them")
    func whatWasAddedBeforeTheUpdateIsDelivered() async throws {
        try await withTestServer { server in
            let (profile, photo) = (ID.random(), ID.random())
            let old = server.device("0.0.8")
            try await old.push([.create("SDUserProfile", profile, ["name": "Ada"], at: moment(1))])
            try await server.device("0.0.9").push([
                .create("SDPhotoRecognition", photo, ["userProfile": .id(profile)], at: moment(2)),
                .update("SDUserProfileV9", profile, ["name": "Ada L."], at: moment(3)),
            ])
            #expect(try await old.pullAll().map { $0["entity"] } == ["SDUserProfile"])
            #expect(try await old.pullAll().isEmpty)
            let device = try await server.upgraded(old, from: 7, to: 8)
            #expect(try await device.pullAll().contains { $0["id"] == .id(photo) })
            #expect(await device.value("SDPhotoRecognition", photo, "userProfile") == .id(profile))
            #expect(await device.store == (try await server.view("0.0.9")))
        }
    }

    @Test(
        "S3_08, S4_06: devices that update their apps store nothing and tell each other nothing",
        arguments: DemoApps.all.indices)
    func updatesOfAppsAreNoNews(app: Int) async throws {
        try await withTestServer(DemoApps.all[app]) { server in
            var fleet = RandomFleet(server.plan, seed: 5)
            try await write(&fleet, rounds: 8, to: server)
            let newest = server.plan.newest
            var olds: [TestDevice] = []
            for version in server.plan.schemas.indices.dropLast() {
                for _ in 0..<3 {
                    let old = server.device(version: version)
                    try await old.pullAll()
                    olds.append(old)
                }
            }
            let watcher = server.device(version: newest)
            try await watcher.pullAll()
            let before = try await server.contents()
            for (index, old) in olds.enumerated() {
                try await server.upgraded(old, from: index / 3, to: newest).pullAll()
            }
            #expect(try await server.contents() == before)
            #expect(try await watcher.pullAll().isEmpty)
        }
    }

    @Test func onlyWhatTheOlderVersionCouldNotSeeIsSent() async throws {
        try await withTestServer { server in
            let (plain, received) = (ID.random(), ID.random())
            // 0.0.9 has neither workouts nor an email; a profile's email has a default.
            try await server.device("0.1.0").push([
                .create("SDUserProfileV10", plain, ["name": "plain"], at: moment(1)),
                .create("SDUserProfileV10", received, ["name": "told", "email": "a@b.c"], at: moment(1)),
                .create("SDWorkout", meal, ["title": "run"], at: moment(1)),
                .create("SDPhysicalAttribute", .random(), at: moment(1)),
            ])
            let old = server.device("0.0.9")
            try await old.pullAll()
            let older = try #require(server.plan.index(of: Schema.Version(0, 0, 9)))
            let device = try await server.upgraded(old, from: older, to: older + 1)
            let sent = try await device.pullAll(limit: 1).compactMap { $0["id"].string }
            #expect(Set(sent) == [received.description, meal.description] && sent.count == 2)
            #expect(await device.store == (try await server.view("0.1.0")))
        }
    }

    /// The edit lies behind the device's cursor, and would not be echoed to the older version.
    @Test func whatTheDevicePushedInItsOlderVersionIsSentWhereTheNewerSeesMore() async throws {
        try await withTestServer { server in
            let (old, other) = (server.device("0.0.9"), server.device("0.1.0"))
            try await other.push([.create("SDUserProfileV10", meal, ["email": "a@b.c"], at: moment(1))])
            try await old.pullAll()
            try await other.push([.create("SDPhysicalAttribute", .random(), at: moment(2))])
            try await old.push([.update("SDUserProfileV9", meal, ["name": "mine"], at: moment(3))])
            let older = try #require(server.plan.index(of: Schema.Version(0, 0, 9)))
            let device = try await server.upgraded(old, from: older, to: server.plan.newest)
            try await device.pullAll()
            #expect(await device.store == (try await server.view("0.1.1")))
        }
    }

    /// The device's clock is behind, and it pushes with the cursor of its older version.
    /// The answer was lost, a pull sent the device its own edit, and then the app was updated.
    @Test func aRetryFromBeforeTheUpdateIsSentOnceMore() async throws {
        try await withTestServer { server in
            let (old, entry) = (server.device("0.0.3"), ID.random())
            let edit: JSONValue = .update("SDProgressEntry", entry, ["notes": "mine"], at: moment(2))
            try await old.push([.create("SDProgressEntry", entry, ["createdAt": "2026-01-31T08:00:00Z"], at: moment(1))]
            )
            try await old.pullAll()
            try await old.send([edit], cursor: old.cursor)
            #expect(try await old.pullAll().count == 1)
            let new = try await server.upgraded(old, from: 2, to: 5)
            let retry = JSONValue.object(edit.members.merging(["version": "0.0.3"]) { $1 })
            let answer = try await new.send([retry], cursor: new.cursor)
            #expect(answer.verdicts == ["unchanged"])
            try await new.pullAll()
            #expect(await new.value("SDProgressEntry", entry, "notes") == "mine")
        }
    }

    @Test func anEditThatLosesToWhatTheOlderVersionReadIsSentTheCurrentValue() async throws {
        try await withTestServer { server in
            try await server.device().push([
                .create("SDPhysicalAttribute", meal, ["backendID": "theirs"], at: moment(9))
            ])
            let old = server.device("0.0.9")
            try await old.pullAll()
            let older = try #require(server.plan.index(of: Schema.Version(0, 0, 9)))
            let device = try await server.upgraded(old, from: older, to: server.plan.newest)
            let answer = try await device.push([
                .update("SDPhysicalAttribute", meal, ["backendID": "mine"], at: moment(5))
            ])
            #expect(answer.verdicts == ["superseded"])
            try await device.pullAll()
            #expect(await device.store == (try await server.view("0.1.1")))
        }
    }

    @Test func aSecondUpdateInTheMiddleOfTheFirstLosesNothing() async throws {
        try await withTestServer { server in
            var fleet = RandomFleet(server.plan, seed: 11)
            try await write(&fleet, rounds: 10, to: server)
            let old = server.device(version: 2)
            try await old.pullAll()
            let middle = try await server.upgraded(old, from: 2, to: 8)
            let page = try await middle.pullPage(limit: 3)
            #expect(page.more && page.changes.count == 3)
            for newest in [10, 9] {
                let device = try await server.upgraded(middle, from: 8, to: newest)
                try await device.pullAll(limit: 7)
                let fresh = try await server.view(device.version)
                #expect(await device.store.withoutEmpty == fresh.withoutEmpty)
            }
        }
    }

    @Test func anOlderVersionReadsEverythingAnew() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDPhysicalAttribute", meal, at: moment(1))])
            let new = server.device("0.1.1")
            try await new.pullAll()
            let old = server.device("0.0.3")
            await old.use(cursor: await new.cursor)
            #expect(try await old.pullAll().count == 1)
        }
    }

    private func write(_ fleet: inout RandomFleet, rounds: Int, to server: TestServer) async throws {
        for _ in 0..<rounds {
            let version = server.plan.schemas.indices.randomElement(using: &fleet.random)!
            try await server.device(version: version).send(fleet.changes(by: version, count: 5))
        }
    }
}

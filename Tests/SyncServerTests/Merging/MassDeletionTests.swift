import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// A wiped store is not a deletion: a device that deletes much of a space at a time must say that it means to.
@Suite struct MassDeletionTests {
    private let ids = (0..<50).map { _ in ID.random() }

    private func filled(_ body: (TestServer) async throws -> Void) async throws {
        try await withTestServer(massDeletions: standardDeletions) { server in
            try await server.device().push(ids.map { .create("SDMeal", $0, ["notes": "n"], at: moment(1)) })
            try await body(server)
        }
    }

    private func deletions(_ count: Int) -> [JSONValue] {
        ids.prefix(count).map { .delete("SDMeal", $0, at: moment(2)) }
    }

    @Test("S5_01: what looks like a wiped store is refused, and the rest of its batch goes on")
    func whatLooksLikeAWipedStoreIsRefusedAndTheRestOfItsBatchGoesOn() async throws {
        try await filled { server in
            let kept = JSONValue.update("SDMeal", ids[49], ["notes": "kept"], at: moment(2))
            let answer = try await server.device().send(deletions(26) + [kept])
            #expect(Set(answer.codes.values) == ["mass-deletion"] && answer.codes.count == 26)
            #expect(answer.verdicts[26] == "applied")
            #expect(try await server.view("0.1.1")["SDMeal"]?.count == 50)
            #expect(try await server.view("0.1.1")["SDMeal"]?[ids[49].description]?["notes"] == "kept")
            // The retry is refused alike.
            #expect(try await server.device().send(deletions(26)).codes.count == 26)
        }
    }

    /// The records of an app are counted over all its tables, of which this one has one.
    @Test("S5_01: an app of one entity is guarded like any other")
    func anAppOfOneEntityIsGuardedLikeAnyOther() async throws {
        let migrations = try SidesPlan.migrations()
        try await withTestServer(SidesPlan.self, migrations: migrations, massDeletions: standardDeletions) { server in
            let device = server.device("1.0.0")
            try await device.push(ids.map { .create("Can", $0, at: moment(1)) })
            let many = try await device.send(ids.prefix(26).map { .delete("Can", $0, at: moment(2)) })
            #expect(Set(many.codes.values) == ["mass-deletion"])
            let half = try await device.send(ids.prefix(25).map { .delete("Can", $0, at: moment(3)) })
            #expect(half.verdicts.allSatisfy { $0 == "applied" })
        }
    }

    /// Known to the server as what it was.
    @Test func whatWasJudgedBeforeStaysAsItWasAmongMany() async throws {
        try await filled { server in
            let device = server.device()
            #expect(try await device.send(deletions(1)).verdicts == ["applied"])
            try await device.push([.create("SDMeal", ids[0], at: moment(3))])
            let later = ids.prefix(26).map { JSONValue.delete("SDMeal", $0, at: moment(4)) }
            let answer = try await device.send(deletions(1) + later)
            #expect(answer.verdicts[0] == "superseded" && answer.codes.count == 26)
        }
    }

    @Test func halfOfTheSpaceIsAllowedAndSoIsAllOfItWithIntent() async throws {
        try await filled { server in
            let device = server.device()
            #expect(try await device.send(deletions(25)).verdicts.allSatisfy { $0 == "applied" })
            // What is dead already counts for nothing.
            #expect(try await device.send(deletions(25)).verdicts.allSatisfy { $0 == "unchanged" })
            #expect(try await device.send(deletions(50)).codes.count == 25)
            let meant = try await device.send(deletions(50), intent: "mass-deletion")
            #expect(meant.verdicts.suffix(25).allSatisfy { $0 == "applied" })
            #expect(try await server.view("0.1.1")["SDMeal"] == [:])
        }
    }

    @Test func aSmallSpaceIsEmptiedByHand() async throws {
        try await withTestServer(massDeletions: standardDeletions) { server in
            let device = server.device()
            try await device.push(ids.prefix(19).map { .create("SDMeal", $0, at: moment(1)) })
            #expect(try await device.send(deletions(19)).verdicts.allSatisfy { $0 == "applied" })
        }
    }

    /// Push by push, each of them too small to be looked at, by whichever server: half of the space is gone, and no
    /// more.
    @Test func manySmallPushesAreNoWayAround() async throws {
        try await withTestServer(massDeletions: standardDeletions) { server in
            let all = (0..<494).map { _ in ID.random() }
            let device = server.device()
            try await device.push(all.map { .create("SDMeal", $0, at: moment(1)) })
            try await server.withServer(on: WrongClock(by: .zero)) { other in
                let second = other.device(id: device.id)
                var verdicts: [String] = []
                for (round, start) in stride(from: 0, to: all.count, by: 19).enumerated() {
                    let part = all[start..<start + 19].map { JSONValue.delete("SDMeal", $0, at: moment(2)) }
                    verdicts += try await (round % 2 == 0 ? device : second).send(part).verdicts
                }
                #expect(verdicts.count { $0 == "applied" } == 247)
                #expect(Set(verdicts.suffix(247)) == ["rejected"])
                // Nobody else is in its way, and it may say that it means to.
                let rest = all.suffix(247).map { JSONValue.delete("SDMeal", $0, at: moment(3)) }
                #expect(try await server.device().send(Array(rest.prefix(19))).verdicts.allSatisfy { $0 == "applied" })
                let meant = try await device.send(rest, intent: "mass-deletion")
                #expect(meant.codes.isEmpty)
            }
        }
    }

    /// A deletion every three seconds, and at once whatever a person selects of it.
    @Test func whoDeletesByHandIsNeverStopped() async throws {
        let clock = TestWallClock(seconds: 1_800_000_000)
        try await withTestServer(now: clock.now, massDeletions: standardDeletions) { server in
            let device = server.device()
            try await device.push(ids.map { .create("SDMeal", $0, at: clock.stamp(ahead: 0)) })
            var rest = ids[...]
            for count in [19] + Array(repeating: 1, count: 31) {
                let part = rest.prefix(count)
                rest = rest.dropFirst(count)
                let answer = try await device.send(part.map { .delete("SDMeal", $0, at: clock.stamp(ahead: 1)) })
                #expect(answer.verdicts.allSatisfy { $0 == "applied" })
                clock.advance(seconds: 3)
            }
            #expect(try await server.view("0.1.1")["SDMeal"] == [:])
        }
    }

    /// Six hours of it, in bursts as they come when a phone is online again.
    @Test(arguments: [1, UInt64.random(in: 2 ... .max)])
    func norIsWhoDeletesOverADay(seed: UInt64) async throws {
        let clock = TestWallClock(seconds: 1_800_000_000)
        try await withTestServer(now: clock.now, massDeletions: standardDeletions) { server in
            var random = SplitMix64(seed: seed)
            let device = server.device()
            try await device.push(ids.map { .create("SDMeal", $0, at: clock.stamp(ahead: 0)) })
            var rest = ids[...]
            while !rest.isEmpty {
                let part = rest.prefix(1 + random.below(6))
                rest = rest.dropFirst(part.count)
                let answer = try await device.send(part.map { .delete("SDMeal", $0, at: clock.stamp(ahead: 1)) })
                #expect(answer.verdicts.allSatisfy { $0 == "applied" }, "seed \(seed)")
                clock.advance(seconds: Int64(30 + random.below(1_200)))
            }
        }
    }

    /// A list that is written anew, as often as its app likes.
    @Test func whatIsReplacedInTheSamePushIsNotCounted() async throws {
        try await withTestServer(massDeletions: standardDeletions) { server in
            let device = server.device()
            var list = (0..<15).map { _ in ID.random() }
            try await device.push(list.map { .create("SDMeal", $0, at: moment(1)) })
            for round in 2..<10 {
                let next = (0..<15).map { _ in ID.random() }
                let answer = try await device.send(
                    list.map { .delete("SDMeal", $0, at: moment(Int64(round))) }
                        + next.map { .create("SDMeal", $0, at: moment(Int64(round))) })
                #expect(answer.verdicts.allSatisfy { $0 == "applied" })
                list = next
            }
        }
    }

    /// Records that go along count; and what still counts of them does so for an hour.
    @Test func whatADeletionTakesAlongCounts() async throws {
        let clock = TestWallClock(seconds: 1_800_000_000)
        try await withTestServer(now: clock.now, massDeletions: standardDeletions) { server in
            let device = server.device("0.0.9")
            func fill(_ count: Int) async throws -> ID {
                let profile = ID.random()
                try await device.push(
                    [.create("SDUserProfileV9", profile, ["name": "Ada"], at: clock.stamp(ahead: 0))]
                        + (1...count).map { _ in
                            .create(
                                "SDPhotoRecognition", .random(), ["userProfile": .id(profile)],
                                at: clock.stamp(ahead: 0))
                        })
                return profile
            }
            func delete(_ profile: ID, intent: String? = nil) async throws -> TestPushAnswer {
                clock.advance(seconds: 1)
                return try await device.send(
                    [.delete("SDUserProfileV9", profile, at: clock.stamp(ahead: 0))], intent: intent)
            }
            let (large, small, third) = (try await fill(120), try await fill(18), try await fill(90))
            let refused = try await delete(large)
            #expect(refused.codes == [0: "mass-deletion"])
            #expect(try await server.view("0.0.9")["SDPhotoRecognition"]?.count == 228)
            #expect(try await delete(small).verdicts == ["applied"])
            #expect(try await delete(third).verdicts == ["applied"])
            #expect(try await delete(large).codes == [0: "mass-deletion"])
            #expect(try await delete(large, intent: "mass-deletion").verdicts == ["applied"])
            let another = try await fill(19)
            #expect(try await delete(another).codes == [0: "mass-deletion"])
            #expect(try await server.view("0.0.9")["SDPhotoRecognition"]?.count == 19)
        }
    }

    @Test func aSpaceRemembersSoManyDevicesAndNoMore() async throws {
        let clock = TestWallClock(seconds: 1_800_000_000)
        try await withTestServer(now: clock.now, massDeletions: standardDeletions) { server in
            func remembered() async throws -> Int {
                let session = try await Session.open(server.database.superuserConnectionString)
                let rows = try await session.execute("SELECT count(*) FROM sync.deletion")
                await session.close()
                return Int(rows.int(0, 0))
            }
            let (last, all) = (ID.random(), (0..<Spaces.deletingMax + 5).map { _ in ID.random() })
            try await server.device().push((all + [last]).map { .create("SDMeal", $0, at: clock.stamp(ahead: 0)) })
            #expect(try await remembered() == 0)
            for id in all {
                clock.advance(seconds: 1)
                try await server.device().send([.delete("SDMeal", id, at: clock.stamp(ahead: 0))])
            }
            #expect(try await remembered() == Spaces.deletingMax)
            clock.advance(seconds: 3_601)
            try await server.device().send([.delete("SDMeal", last, at: clock.stamp(ahead: 0))])
            #expect(try await remembered() == 1)
        }
    }

    @Test func anIntentThatIsNoneIsMalformed() async throws {
        try await withTestServer(massDeletions: standardDeletions) { server in
            for intent: JSONValue in ["delete", 1, .object([:])] {
                let reply = try await server.send(
                    "POST", body: JSONValue.object(["changes": [], "intent": intent]).bytes)
                #expect(reply.isProblem(400, "malformed"), "\(reply)")
            }
        }
    }
}

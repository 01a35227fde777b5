import StrictJSON
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Docs/security.md, row 1: how many records come back with one that is created again is bounded, because each is
/// loaded.
@Suite struct ReturningBudgetTests {
    private let profile = ID.random()

    @Test(arguments: [false, true])
    func asManyMayComeBackAsMayAndNotOneMore(isBeyond: Bool) async throws {
        try await withTestServer { server in
            let device = server.device()
            let meals = (0..<4).map { _ in
                JSONValue.create("SDMeal", .random(), ["userProfile": .id(profile), "notes": "soup"], at: moment(1))
            }
            try await device.push([.create("SDUserProfileV11", profile, ["name": "Ada"], at: moment(1))] + meals)
            try await device.push([.delete("SDUserProfileV11", profile, at: moment(2))])
            let max = isBeyond ? 3 : 4
            try await server.withEngine(returning: ReturningBudget(countMax: max)) { engine in
                func verdicts(creating id: ID) async throws -> [Verdict] {
                    let changes = [JSONValue.create("SDUserProfileV11", id, ["name": "Ada"], at: moment(3))]
                    let document = try JSONDocument(parsing: JSONValue.array(changes).bytes)
                    let caller = SyncEngine.Caller(
                        space: server.space, version: server.plan.newest, device: nil)
                    return try await engine.push(document.root, cursor: nil, as: caller).verdicts
                }
                if isBeyond {
                    await #expect(throws: SyncError.tooManyReturning(max: max)) {
                        try await verdicts(creating: profile)
                    }
                    // As the error says: it is new under another id.
                    #expect(try await verdicts(creating: .random()) == [.applied])
                } else {
                    #expect(try await verdicts(creating: profile) == [.applied])
                    // What was taken was given back.
                    try ReturningBudget.Share(of: engine.store.returning).take(max)
                }
            }
            let view = try await server.view("0.1.1")
            #expect(view["SDMeal", default: [:]].count == (isBeyond ? 0 : 4))
        }
    }

    @Test(arguments: [false, true])
    func levelsAreGoneThroughAsOftenAsMayBe(isBeyond: Bool) async throws {
        try await withTestServer { server in
            let device = server.device()
            let meal = JSONValue.create("SDMeal", .random(), ["userProfile": .id(profile)], at: moment(1))
            try await device.push([.create("SDUserProfileV11", profile, ["name": "Ada"], at: moment(1)), meal])
            try await device.push([.delete("SDUserProfileV11", profile, at: moment(2))])
            // The one level that there is goes through the profile.
            try await server.withEngine(returning: ReturningBudget(visitsMax: isBeyond ? 0 : 1)) { engine in
                let change = JSONValue.create("SDUserProfileV11", profile, ["name": "Ada"], at: moment(3))
                let document = try JSONDocument(parsing: JSONValue.array([change]).bytes)
                let caller = SyncEngine.Caller(space: server.space, version: server.plan.newest, device: nil)
                if isBeyond {
                    await #expect(throws: SyncError.tooManyLevels) {
                        try await engine.push(document.root, cursor: nil, as: caller)
                    }
                } else {
                    #expect(try await engine.push(document.root, cursor: nil, as: caller).verdicts == [.applied])
                }
            }
            #expect(try await server.view("0.1.1")["SDMeal", default: [:]].count == (isBeyond ? 0 : 1))
        }
    }

    @Test func whatOnePushHasTakenOthersDoWithout() throws {
        let budget = ReturningBudget(countMax: 10)
        do {
            let first = ReturningBudget.Share(of: budget)
            try first.take(1)
            #expect(throws: SyncError.busy) { try ReturningBudget.Share(of: budget).take(10) }
            #expect(throws: SyncError.tooManyReturning(max: 10)) { try first.take(10) }
            try ReturningBudget.Share(of: budget).take(9)
        }
        try ReturningBudget.Share(of: budget).take(10)
    }
}

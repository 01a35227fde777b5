import PGStore
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Tests of a space's quota, and of its count.
@Suite struct QuotaTests {
    private func withQuotas(
        records: Int = 10, bytes: Int = 1 << 30, _ body: (TestServer) async throws -> Void
    ) async throws {
        var quotas = Quotas()
        (quotas.records, quotas.bytes) = (records, bytes)
        try await withTestServer(policy: RequestPolicy(quotas: quotas)) { server in try await body(server) }
    }

    private func holding(_ server: TestServer) async throws -> SpaceHolding? {
        try await server.service.engines[0].holding(of: server.space) { _ in nil }
    }

    private func meals(_ count: Int, notes: String = "a meal") -> [JSONValue] {
        (0..<count).map { _ in .create("SDMeal", .random(), ["notes": .string(notes)], at: moment(1)) }
    }

    @Test func aFullSpaceTakesWhatMakesItNoFuller() async throws {
        try await withQuotas { (server) async throws in
            let first = ID.random()
            let creation: JSONValue = .create("SDMeal", first, ["notes": "first"], at: moment(1))
            #expect(try await server.post([creation] + meals(9)).status == 200)
            let before = try await server.contents()
            let refused = try await server.post(meals(1))
            #expect(refused.isProblem(507, "quota-exceeded") && refused["retry-after"] == "300", "\(refused)")
            #expect(refused.json["quota"] == "records" && refused.json["held"] == 10 && refused.json["most"] == 10)
            // Nothing of it is stored, and what is sent again is nothing more.
            #expect(try await server.contents() == before)
            #expect(try await server.post([creation]).status == 200)
            #expect(try await server.post([.update("SDMeal", first, ["notes": "edited"], at: moment(2))]).status == 200)
            // All or nothing, as always: half of this would fit.
            #expect(try await server.post([.delete("SDMeal", first, at: moment(3))] + meals(2)).status == 507)
            #expect(try await server.post([.delete("SDMeal", first, at: moment(3))]).status == 200)
            #expect(try await server.post(meals(1)).status == 200)
            #expect(try await server.post(meals(1)).status == 507)
            #expect(try await holding(server)?.records == 10)
        }
    }

    @Test func bytesAreCountedInSteps() async throws {
        try await withQuotas(records: 1_000, bytes: 1 << 20) { (server) async throws in
            let text = String(repeating: "x", count: 200_000)
            for _ in 1...4 { #expect(try await server.post(meals(1, notes: text)).status == 200) }
            let refused = try await server.post(meals(2, notes: text))
            #expect(refused.isProblem(507, "quota-exceeded") && refused.json["quota"] == "bytes", "\(refused)")
            let bytes = try #require(try await holding(server)?.bytes)
            #expect(abs(bytes - 800_000) <= 4 * PushContext.growthStepBytes)
        }
    }

    /// Sums are right, whatever is added: within six standard deviations of a binomial, for every seed.
    @Test func whatIsRoundedByChanceIsRightOnAverage() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SplitMix64(seed: seed)
        for bytes in [1, 100, 25_000, 65_535, 65_536, 70_000, 1_000_000, -1, -25_000, -70_000] as [Int64] {
            let count = 20_000
            let sum = (0..<count).reduce(Int64(0)) { sum, _ in sum + PushContext.stepped(bytes, &generator) }
            let part =
                Double(bytes.magnitude % UInt64(PushContext.growthStepBytes)) / Double(PushContext.growthStepBytes)
            let deviation = (Double(count) * part * (1 - part)).squareRoot() * Double(PushContext.growthStepBytes)
            let error = abs(Double(sum - bytes * Int64(count)))
            #expect(error <= 8 * max(deviation, 4 * Double(PushContext.growthStepBytes)), "\(bytes), seed \(seed)")
        }
        #expect(PushContext.stepped(0, &generator) == 0 && PushContext.stepped(1 << 20, &generator) == 1 << 20)
    }

    /// Children that go with their parent are not read; the collection counts what is left.
    @Test func whatGoesAlongIsCountedAndCollectionSetsItRight() async throws {
        try await withQuotas(records: 100) { (server) async throws in
            let meal = ID.random()
            let items: [JSONValue] = (0..<20).map { _ in
                .create("SDMealLogItem", .random(), ["mealLog": .string(meal.description)], at: moment(1))
            }
            _ = try await server.post([.create("SDMeal", meal, at: moment(1))] + items)
            let full = try #require(try await holding(server))
            #expect(full.records == 21 && full.isExact)
            let deletion: JSONValue = .array([.delete("SDMeal", meal, at: moment(2))] + meals(1))
            _ = try await server.send(
                "POST", body: JSONValue.object(["changes": deletion, "intent": "mass-deletion"]).bytes)
            let estimated = try #require(try await holding(server))
            #expect(estimated.records == 1 && !estimated.isExact)
            _ = try await server.service.collect(olderThan: .seconds(86_400))
            let counted = try #require(try await holding(server))
            #expect(counted.records == 1 && counted.isExact && (0..<1_000).contains(counted.bytes ?? -1))
        }
    }

    /// A server of the release before counts nothing, and does not undo what is counted.
    @Test func aSpaceThatWasNotCountedIsCountedByTheCollection() async throws {
        try await withQuotas(records: 3) { (server) async throws in
            _ = try await server.post(meals(2))
            try await server.administer("UPDATE sync.space SET records = NULL, bytes = NULL, counted_head = NULL")
            // Nobody knows, so nobody is refused.
            #expect(try await server.post(meals(2)).status == 200)
            _ = try await server.service.collect(olderThan: .seconds(86_400))
            let counted = try #require(try await holding(server))
            #expect(counted.records == 4 && counted.isExact)
            #expect(try await server.post(meals(1)).status == 507)
            // As it pushes: the head moves, and nothing else.
            try await server.administer("UPDATE sync.space SET head = head + 5")
            _ = try await server.post([.update("SDMeal", .random(), ["notes": "of nothing"], at: moment(9))])
            #expect(try await holding(server)?.isExact == false)
            _ = try await server.service.collect(olderThan: .seconds(86_400))
            #expect(try await holding(server)?.isExact == true)
        }
    }

    /// The sum of many small pushes equals a fresh count.
    @Test func aBusySpaceStaysCounted() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withQuotas(records: 10_000) { (server) async throws in
            var generator = SplitMix64(seed: seed)
            var ids: [ID] = []
            for minute in Int64(1)...60 {
                var changes: [JSONValue] = []
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    let stamp = moment(minute)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0, 1:
                        ids.append(.random())
                        changes.append(.create("SDMeal", ids[ids.count - 1], ["notes": "m"], at: stamp))
                    case 2:
                        guard let id = ids.randomElement(using: &generator) else { continue }
                        changes.append(.update("SDMeal", id, ["notes": "more of it"], at: stamp))
                    default:
                        guard let id = ids.randomElement(using: &generator) else { continue }
                        changes.append(.delete("SDMeal", id, at: stamp))
                    }
                }
                #expect(try await server.post(changes).status == 200)
                // A retry adds nothing.
                if minute.isMultiple(of: 7) { #expect(try await server.post(changes).status == 200) }
            }
            let kept = try #require(try await holding(server))
            try await server.administer("UPDATE sync.space SET counted_head = NULL")
            _ = try await server.service.collect(olderThan: .seconds(86_400))
            let counted = try #require(try await holding(server))
            #expect(kept.isExact && kept.records == counted.records, "seed \(seed)")
        }
    }

    @Test func anOperatorAllowsASpaceMore() async throws {
        try await withQuotas(records: 2) { (server) async throws in
            #expect(try await server.post(meals(3)).status == 507)
            let space = "\(server.space)"
            let words = ["--app", "fitiq", "--space", space]
            let none = try await CommandRun(["quota", "show"] + words, database: server.database.connectionString)
            #expect(none.status == 1 && none.errors.contains("nothing was pushed into it yet"), "\(none)")
            #expect(try await server.post(meals(2)).status == 200)
            let set = try await CommandRun(
                ["quota", "set", "--records", "5"] + words, database: server.database.connectionString)
            #expect(set.status == 0 && set.output.contains("records  2, of 5 that it may"), "\(set)")
            #expect(try await server.post(meals(3)).status == 200)
            #expect(try await server.post(meals(1)).status == 507)
            let reset = try await CommandRun(
                ["quota", "set", "--records", "default", "--json"] + words, database: server.database.connectionString)
            #expect(reset.status == 0 && reset.output.contains(#""recordsMax":null"#), "\(reset)")
            #expect(try await server.post([]).status == 200)
            #expect(try await server.post(meals(1)).json["most"] == 2)
        }
    }
}

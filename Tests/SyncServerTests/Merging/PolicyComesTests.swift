import Postgres
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests of a release that declares policies: what was said before was decided by then, and changes nothing where it
/// arrives again; what is said from then on is merged by the policies.
@Suite struct PolicyComesTests {
    private let id = ID.random()

    @Test func whatArrivesAgainAfterAPolicyWasDeclaredChangesNothing() async throws {
        try await withBothServers { before, after in
            let device = before.device("1.0.0")
            let changes: [JSONValue] = [
                .create("Game", id, ["count": 3, "best": 5, "tags": ["a", "b"], "fastest": "1"], at: moment(1)),
                .update("Game", id, ["count": 4, "best": 9, "tags": ["c"], "fastest": "0.5"], at: moment(2)),
                .update("Game", id, ["count": 3, "best": 2, "tags": ["a"], "fastest": "7"], at: moment(3)),
            ]
            for change in changes { try await device.push([change]) }
            let again = after.device("1.0.0", id: device.id)
            for change in changes + changes.reversed() { try await again.send([change]) }
            let game = try await after.game(id)
            #expect(game["count"] == 3 && game["best"] == 2 && game["tags"] == ["a"] && game["fastest"] == "7")

            // From now on all of it counts.
            try await after.device("2.0.0").push([.update("Game", id, ["best": 1, "tags": ["d"]], at: moment(4))])
            try await after.device("2.0.0").push([.update("Game", id, ["best": 4], at: moment(5))])
            try await after.device("2.0.0").push([.count("Game", id, ["count": 2], at: moment(2))])
            for change in changes { try await again.send([change]) }
            let merged = try await after.game(id)
            #expect(merged["count"] == 5 && merged["best"] == 4 && merged["tags"] == ["a", "d"])
            #expect(merged["fastest"] == "7")
        }
    }

    /// The array keeps its order whether or not its device has read the record by then.
    @Test func anArrayOfBeforeThatIsSaidAgainKeepsItsOrder() async throws {
        try await withBothServers { before, after in
            try await before.device("1.0.0").push([.create("Game", id, ["tags": ["b", "a", "b"]], at: moment(1))])
            let device = after.device("2.0.0")
            try await device.pullAll()
            let cursor = await device.cursor
            let edit = JSONValue.update("Game", id, ["name": "n", "tags": ["b", "a", "b"]], at: moment(2))
            #expect(try await device.send([edit], cursor: cursor).verdicts == ["applied"])
            let contents = try await after.contents()
            for cursor in [cursor, nil] {
                #expect(try await device.send([edit], cursor: cursor).verdicts == ["unchanged"])
            }
            #expect(try await after.contents() == contents)
            #expect(try await after.game(id)["tags"] == ["b", "a", "b"])
            try await after.device("2.0.0").push([.update("Game", id, ["tags": ["c"]], at: moment(3))])
            #expect(try await after.game(id)["tags"] == ["a", "b", "c"])
        }
    }

    /// An edit counts however late it arrives, of a record that was made by who knew the policies.
    @Test func whatWasSaidUnderThePolicyCountsHoweverLateItArrives() async throws {
        try await withBothServers { _, after in
            let device = after.device("2.0.0")
            try await device.push([.create("Game", id, ["count": 3, "best": 2, "tags": ["a"]], at: moment(5))])
            try await device.push([.update("Game", id, ["best": 7, "tags": ["b"]], at: moment(4))])
            try await device.push([.create("Game", id, ["count": 1], at: moment(3))])
            let game = try await after.game(id)
            #expect(game["count"] == 4 && game["best"] == 7 && game["tags"] == ["a", "b"])
        }
    }

    /// Any pushes to a server of before, then any to one of after, and in between and at the end all of them again.
    @Test(arguments: [1, 2, 3, UInt64.random(in: 4 ... .max)])
    func anyRepetitionChangesNothing(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        try await withBothServers { before, after in
            let ids = (0..<3).map { _ in ID.random() }
            var sent: [(device: ID, version: String, changes: [JSONValue])] = []
            for index in 0..<60 {
                let (server, isAfter) = index < 30 ? (before, false) : (after, true)
                let version = ["1.0.0", "2.0.0"].randomElement(using: &random)!
                let changes = (0..<Int.random(in: 1...2, using: &random)).map { number in
                    let stamp = moment(Int64.random(in: 0..<90, using: &random) * 1000 + Int64(index * 2 + number))
                    let id = ids.randomElement(using: &random)!
                    return change(of: id, at: stamp, isCounter: isAfter && version == "2.0.0", using: &random)
                }
                let device = ID.random()
                let answer = try await server.device(version, id: device).send(changes)
                #expect(answer.codes.isEmpty, "seed \(seed): \(answer.codes)")
                sent.append((device, version, changes))
                guard index % 15 == 14 else { continue }
                let reader = isAfter || index == 29 ? after : before
                let view = try await reader.view("2.0.0")
                for (device, version, changes) in sent.shuffled(using: &random) {
                    try await reader.device(version, id: device).send(changes)
                    let now = try await reader.view("2.0.0")
                    #expect(now == view, "seed \(seed), after \(index): \(version) \(changes)")
                    if now != view { return }
                }
            }
        }
    }

    private func change(of id: ID, at stamp: Int64, isCounter: Bool, using random: inout SplitMix64) -> JSONValue {
        func number() -> JSONValue { .int(Int64.random(in: 0..<9, using: &random)) }
        func text() -> JSONValue { .string("\(Int.random(in: 0..<9, using: &random))") }
        var fields: [String: JSONValue] = [:]
        if Bool.random(using: &random) { fields["best"] = number() }
        if Bool.random(using: &random) { fields["fastest"] = text() }
        if Bool.random(using: &random) { fields["tags"] = .array([text()]) }
        let (creates, counts) = (Int.random(in: 0..<3, using: &random) == 0, Bool.random(using: &random))
        if counts, creates || !isCounter { fields["count"] = number() }
        if creates { return .create("Game", id, fields, at: stamp) }
        let update = JSONValue.update("Game", id, fields, at: stamp)
        return counts && isCounter ? update.with("increments", .object(["count": number()])) : update
    }

    /// A server of the release before the policies, and one of the release with them, over the same database.
    private func withBothServers(_ body: (TestServer, TestServer) async throws -> Void) async throws {
        let plan = try Plan(ScoresPlan.self)
        try await ScoresPlan.$isPlain.withValue(true) {
            try await ScoresPlan.withServer { before in
                let service = try await RunningServer.start(
                    .init(pool: .patient(sessionsMax: 4)), plans: [plan],
                    lines: Repository.migrations() + [ScoresPlan.migrations()],
                    database: before.database.servingConnectionString, log: Log(isSilent: true))
                do {
                    try await body(before, before.through(service))
                    await service.stop()
                } catch {
                    await service.stop()
                    throw error
                }
            }
        }
    }
}

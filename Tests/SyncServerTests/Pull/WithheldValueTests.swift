import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests that values left unread by a push make no difference: two spaces get the same pushes, and the server
/// believes of one that its records are small and of the other that they are large.
@Suite struct WithheldValueTests {
    private static let versions = ["0.0.5", "0.0.7", "0.1.1"]

    @Test("P1, P2: merged and sent values are the same, whether large values are read or not", arguments: 0..<4)
    func nothingDependsOnWhatIsRead(_: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await withTestServer { server in
            let spaces = [server.space, ID.random()]
            try await believe(server, small: spaces[0])
            let token = try await server.makeToken(spaces: spaces)
            var random = SplitMix64(seed: seed)
            let devices = Self.versions.map { version in
                let id = ID.random()
                return spaces.map { server.device(version, id: id, space: $0, token: token) }
            }
            var edits = Edits()
            // All begin with long texts, whatever the seed.
            for device in devices[2] { try await device.push(edits.beginning) }
            let long = "SELECT count(*) FROM fitiq.sd_mood_entry WHERE length(notes) > \(RecordTable.withheldMinBytes)"
            #expect(try await server.number(long) == 2 * edits.moods.count)
            for round in 0..<40 {
                let index = Int(random.next() % UInt64(devices.count))
                let pair = devices[index]
                let changes = edits.next(in: Self.versions[index], &random)
                var answers: [TestPushAnswer] = []
                for device in pair { answers.append(try await device.push(changes)) }
                #expect(answers[0].verdicts == answers[1].verdicts, "seed \(seed), round \(round)")
                #expect(answers[0].kept == answers[1].kept && answers[0].head == answers[1].head, "seed \(seed)")
                guard random.next() % 2 == 0 else { continue }
                var received: [[JSONValue]] = []
                for device in pair { received.append(inOrder(try await device.pullAll(limit: 5_000))) }
                #expect(received[0] == received[1], "seed \(seed), round \(round)")
            }
            #expect(try await rows(server, spaces[0]) == rows(server, spaces[1]), "seed \(seed)")
        }
    }

    /// Makes the server believe that one space's records are at most a byte large, and know nothing of the others.
    private func believe(_ server: TestServer, small space: ID) async throws {
        try await server.asOwner(
            """
            CREATE FUNCTION fitiq.believe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                NEW.record_size := CASE WHEN NEW.space_id = '\(space)' THEN 1 END;
                RETURN NEW;
            END $$
            """)
        try await server.asOwner(
            """
            CREATE TRIGGER believe BEFORE INSERT OR UPDATE ON sync.space
            FOR EACH ROW EXECUTE FUNCTION fitiq.believe()
            """)
    }

    /// Sorts the changes. A cascade numbers records in the order of the table, which is no promise: their
    /// numbers are left out.
    private func inOrder(_ received: [JSONValue]) -> [JSONValue] {
        let taken = received.filter { $0["op"] == "delete" && $0["deleted"] == .null }
        let numberless = taken.map { [$0["entity"], $0["id"], $0["stamp"]] }
        let named = received.filter { !taken.contains($0) }
        return named + numberless.map(JSONValue.array).sorted { "\($0)" < "\($1)" }
    }

    private func rows(_ server: TestServer, _ space: ID) async throws -> [String] {
        let session = try await Session.open(server.database.superuserConnectionString)
        var lines: [String] = []
        for table in ["sd_mood_entry", "sd_meal", "sd_meal_log_item"] {
            let sql = """
                SELECT (to_jsonb(r) - 'space_id' - CASE WHEN NOT alive AND died <= born THEN 'seq' ELSE '' END)::text
                FROM fitiq.\(table) AS r WHERE space_id = '\(space)' ORDER BY id
                """
            let rows = try await session.execute(Command(Statement(unchecked: sql)))
            lines += (0..<rows.count).map { rows.string($0, 0) }
        }
        await session.close()
        return lines
    }
}

/// Random edits of a few records, with short and long texts, references and deletions.
private struct Edits {
    let moods = (0..<5).map { _ in ID.random() }
    private let meals = (0..<3).map { _ in ID.random() }
    private let items = (0..<5).map { _ in ID.random() }
    private var time: Int64 = 1_000

    /// Each record with a text that is not read where it need not be.
    var beginning: [JSONValue] {
        let text = JSONValue.string(String(repeating: "o", count: 2_000))
        return moods.map { .create("SDMoodEntry", $0, ["notes": text], at: moment(1)) }
            + meals.map { .create("SDMeal", $0, ["notes": text], at: moment(1)) }
            + items.map { .create("SDMealLogItem", $0, ["name": text], at: moment(1)) }
    }

    mutating func next(in version: String, _ random: inout SplitMix64) -> [JSONValue] {
        (0..<1 + random.next() % 7).map { _ in change(in: version, &random) }
    }

    private mutating func change(in version: String, _ random: inout SplitMix64) -> JSONValue {
        time += 1
        // Some come late.
        let stamp = moment(time - Int64(random.next() % 30))
        let kind = version == "0.0.5" ? 0 : random.next() % 3
        let (entity, id, fields): (String, ID, [String: JSONValue])
        switch kind {
        case 0:
            entity = "SDMoodEntry"
            id = pick(moods, &random)
            fields = ["notes": text(&random), "labels": [text(&random), text(&random)], "sourceID": text(&random)]
        case 1:
            entity = "SDMeal"
            id = pick(meals, &random)
            fields = ["notes": text(&random), "rawInput": text(&random)]
        default:
            entity = "SDMealLogItem"
            id = pick(items, &random)
            let quantity: JSONValue = version == "0.1.1" ? .double(Double(random.next() % 9)) : text(&random)
            fields = ["name": text(&random), "quantity": quantity, "mealLog": .id(pick(meals, &random))]
        }
        switch random.next() % 10 {
        case 0: return .delete(entity, id, at: stamp)
        case 1, 2, 3: return .create(entity, id, some(fields, &random), at: stamp)
        default: return .update(entity, id, some(fields, &random), at: stamp)
        }
    }

    private func some(_ fields: [String: JSONValue], _ random: inout SplitMix64) -> [String: JSONValue] {
        var some: [String: JSONValue] = [:]
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where random.next() % 2 == 0 { some[name] = value }
        return some
    }

    private func pick(_ ids: [ID], _ random: inout SplitMix64) -> ID {
        ids[Int(random.next() % UInt64(ids.count))]
    }

    private func text(_ random: inout SplitMix64) -> JSONValue {
        let letter = Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(random.next() % 26)))
        return .string(String(repeating: letter, count: [0, 3, 511, 513, 700, 3_000][Int(random.next() % 6)]))
    }
}

import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// P9: what a push or a pull holds in memory does not grow with how large the records are that a client has made.
@Suite struct LargeRecordTests {
    private static let entity = "SDMoodEntry"
    /// Nearly as much as a record may have.
    private static let largeBytes = 900 << 10

    private static func text(_ bytes: Int, _ letter: Character = "x") -> JSONValue {
        .string(String(repeating: letter, count: bytes))
    }

    /// Records of `largeBytes` each, a few of which fit a body.
    private func fill(_ server: TestServer, _ count: Int) async throws -> [ID] {
        let ids = (0..<count).map { _ in ID.random() }
        for id in ids {
            let answer = try await server.device("0.0.5").push([
                .create(Self.entity, id, ["notes": Self.text(Self.largeBytes), "labels": ["old"]], at: moment(1))
            ])
            #expect(answer.verdicts == ["applied"])
        }
        return ids
    }

    @Test("P9: a page of large records fetches a few of them, and paging sends all")
    func pagesAreSizedBeforeTheyAreFetched() async throws {
        try await withTestServer { server in
            let ids = try await fill(server, 30)
            for version in ["0.0.5", "0.1.1"] {
                let reader = server.device(version)
                let received = try await reader.pullAll(limit: 5_000)
                #expect(Set(received.compactMap { $0["id"].string }) == Set(ids.map(\.description)))
                #expect(received.count == ids.count)
            }
            // In all they have 27 MB.
            #expect(
                server.service.counts.pool.answerBytesMax < Pull.fetchedMaxBytes + 2 * SyncEngine.recordSizeMaxBytes)
        }
    }

    /// In a space of small records nobody pays for that: a page has as many as it is asked for.
    @Test func smallRecordsFillTheirPages() async throws {
        try await withTestServer { server in
            let changes = (0..<600).map { JSONValue.create("SDMeal", .random(), ["notes": "n"], at: moment(Int64($0))) }
            try await server.device().push(changes)
            let page = try await server.device().pullPage(limit: 500)
            #expect(page.changes.count == 500 && page.more)
        }
    }

    @Test("P9: an edit of a small attribute of many large records neither reads nor writes the large one")
    func whatAnEditDoesNotConcernIsLeftAlone() async throws {
        try await withTestServer { server in
            let ids = try await fill(server, 24)
            let stored = try await chunks(server)
            let before = server.service.counts.pool.answerBytesMax
            let edits = ids.map { JSONValue.update(Self.entity, $0, ["labels": ["new"]], at: moment(2)) }
            let answer = try await server.device("0.0.5").push(edits)
            #expect(answer.verdicts.allSatisfy { $0 == "applied" })
            #expect(server.service.counts.pool.answerBytesMax < before + SyncEngine.recordSizeMaxBytes)
            // The large values are where they were, to the byte.
            #expect(try await chunks(server) == stored)
            let view = try await server.view("0.0.5")[Self.entity]
            for id in ids {
                #expect(view?[id.description]?["labels"] == ["new"])
                #expect(view?[id.description]?["notes"] == Self.text(Self.largeBytes))
            }
        }
    }

    /// Returns the ids of the large values that PostgreSQL keeps outside their rows.
    private func chunks(_ server: TestServer) async throws -> [Int64] {
        let session = try await Session.open(server.database.superuserConnectionString)
        let table = try await session.execute(
            "SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = 'fitiq.sd_mood_entry'::regclass")
        let sql = "SELECT DISTINCT chunk_id::bigint FROM \(table.string(0, 0)) ORDER BY 1"
        let rows = try await session.execute(Command(Statement(unchecked: sql)))
        await session.close()
        return (0..<rows.count).map { rows.int($0, 0) }
    }

    @Test("P9: a push that edits more than it may read is too large, and is stored in parts")
    func aPushThatWouldReadTooMuchIsSentInParts() async throws {
        try await withTestServer { server in
            let ids = try await fill(server, 24)
            let edits = ids.map { JSONValue.update(Self.entity, $0, ["notes": "short"], at: moment(2)) }
            let before = try await server.contents()
            let refused = await #expect(throws: TestDevice.Refused.self) {
                try await server.device("0.0.5").push(edits)
            }
            #expect(refused?.reply.isProblem(413, "too-large") == true)
            #expect(refused?.reply.json["detail"].string?.contains("fewer changes") == true)
            #expect(try await server.contents() == before)
            for part in [edits[..<12], edits[12...]] {
                let answer = try await server.device("0.0.5").push(Array(part))
                #expect(answer.verdicts.allSatisfy { $0 == "applied" })
            }
            let view = try await server.view("0.0.5")[Self.entity] ?? [:]
            #expect(view.values.allSatisfy { $0["notes"] == "short" && $0["labels"] == ["old"] })
            #expect(server.service.counts.pool.answerBytesMax < SyncEngine.fetchedMaxBytes + 1 << 20)
        }
    }

    @Test("P9, P10: a record has a size limit, and only the change that exceeds it is rejected")
    func aRecordHasALimit() async throws {
        try await withTestServer { server in
            let (large, other) = (ID.random(), ID.random())
            let limit = SyncEngine.recordSizeMaxBytes
            let changes: [JSONValue] = [
                .create(Self.entity, large, ["notes": Self.text(limit + 1)], at: moment(1)),
                .create(Self.entity, other, ["notes": Self.text(limit - 1_000)], at: moment(1)),
                .update(Self.entity, other, ["labels": [Self.text(2_000)]], at: moment(2)),
                .update(Self.entity, other, ["labels": ["fits"]], at: moment(3)),
            ]
            let answer = try await server.device("0.0.5").push(changes)
            #expect(answer.verdicts == ["rejected", "applied", "rejected", "applied"])
            #expect(answer.codes == [0: "record-too-large", 2: "record-too-large"])
            let view = try await server.view("0.0.5")[Self.entity]
            #expect(view?.count == 1 && view?[other.description]?["labels"] == ["fits"])
        }
    }

    @Test("P1: a record that is larger than a new limit stays, may be edited and shrunk, and may not grow")
    func whatIsTooLargeAlreadyIsNotLost() async throws {
        try await withTestServer { server in
            let id = ID.random()
            let phone = server.device("0.0.5")
            try await phone.push([.create(Self.entity, id, ["notes": "small"], at: moment(1))])
            let size = SyncEngine.recordSizeMaxBytes * 2
            // As a server of the release before left it: nobody has measured the space.
            try await server.asOwner("UPDATE fitiq.sd_mood_entry SET notes = repeat('x', \(size))")
            try await server.asOwner("UPDATE sync.space SET record_size = NULL")
            #expect(try await server.view("0.0.5")[Self.entity]?[id.description]?["notes"] == Self.text(size))
            let answer = try await phone.push([
                .update(Self.entity, id, ["labels": ["edited"]], at: moment(2)),
                .update(Self.entity, id, ["notes": Self.text(size + (20 << 10), "y")], at: moment(3)),
                .update(Self.entity, id, ["notes": Self.text(size - 100, "z")], at: moment(4)),
            ])
            #expect(answer.verdicts == ["applied", "rejected", "applied"])
            #expect(answer.codes == [1: "record-too-large"])
            let view = try await server.view("0.0.5")[Self.entity]?[id.description]
            #expect(view?["notes"] == Self.text(size - 100, "z") && view?["labels"] == ["edited"])
        }
    }

    @Test func theCollectionOfTombstonesMeasuresWhatNobodyHas() async throws {
        try await withTestServer { server in
            _ = try await fill(server, 2)
            try await server.asOwner("UPDATE sync.space SET record_size = NULL")
            try await server.collect()
            let size = try await server.number("SELECT coalesce(record_size, 0) FROM sync.space")
            #expect(size >= Self.largeBytes && size <= 2 << 20, "\(size)")
        }
    }

    /// Large values that nobody reads come back with what they belong to.
    @Test("P1: children restored with their parent have their values, however large")
    func whatComesBackIsWhole() async throws {
        try await withTestServer { server in
            let (meal, items) = (ID.random(), (0..<3).map { _ in ID.random() })
            let phone = server.device("0.1.1")
            try await phone.push([.create("SDMeal", meal, ["notes": "dinner"], at: moment(1))])
            for item in items {
                try await phone.push([
                    .create(
                        "SDMealLogItem", item, ["name": Self.text(Self.largeBytes), "mealLog": .id(meal)], at: moment(2)
                    )
                ])
            }
            let before = try await server.view("0.1.1")
            #expect(before["SDMealLogItem"]?.count == 3)
            try await phone.push([.delete("SDMeal", meal, at: moment(3))])
            #expect(try await server.view("0.1.1")["SDMealLogItem"]?.isEmpty ?? true)
            try await phone.push([.create("SDMeal", meal, ["notes": "dinner"], at: moment(4))])
            #expect(try await server.view("0.1.1")["SDMealLogItem"] == before["SDMealLogItem"])
        }
    }
}

import DemoApps
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Pages that are read from the tables by windows of numbers, without a list: where numbers are missing, belong to the
/// reader or move on meanwhile. Alles-Teurer has two tables, so that all its pages begin so.
@Suite struct WindowTests {
    /// The number of records, and of sequence numbers before any is rewritten.
    private static let count = 12

    @Test func eachTableIsAskedOnceWhereNoNumberIsMissing() async throws {
        try await withProducts { server, _ in
            for limit in [1, 2, 5, 11, 12, 13, 5000] {
                let device = server.device("3.0.0")
                var (pages, numbers, more): (Int, [Int64], Bool) = (0, [], true)
                while more {
                    let page = try await device.pullPage(limit: limit)
                    (pages, numbers, more) = (pages + 1, numbers + page.changes.compactMap { $0["seq"].int }, page.more)
                }
                #expect(numbers == Array(1...Int64(WindowTests.count)), "limit \(limit)")
                #expect(pages == (WindowTests.count + limit - 1) / limit, "limit \(limit)")
            }
        }
    }

    /// Each record but a few has moved to a number far behind; pages are as many as with no number missing, but one.
    @Test(arguments: [1, 2, 3, 7, 12, 40]) func pagesStayFewWhereNumbersAreMissing(limit: Int) async throws {
        try await withProducts { server, ids in
            let writer = server.device("3.0.0")
            try await writer.pullAll()
            for round in 0..<20 as Range<Int64> {
                try await writer.push(
                    ids.dropFirst().map { .update("Product", $0, named(round), at: moment(100 + round)) })
            }
            let device = server.device("3.0.0")
            var (pages, received, more) = (0, 0, true)
            while more {
                let page = try await device.pullPage(limit: limit)
                (pages, received, more) = (pages + 1, received + page.changes.count, page.more)
                #expect(page.changes.count <= limit)
            }
            #expect(received == WindowTests.count)
            // A page has at least half of what it may have, but the last.
            #expect(pages <= WindowTests.count / ((limit + 1) / 2) + 1)
            #expect(await device.store == (try await server.view("3.0.0")))
        }
    }

    /// Its own is left out in the window and in what completes it; what it has not received is sent, wherever it is.
    @Test(arguments: [1, 2, 4, 9, 18, 19, 1000]) func ownChangesAreLeftOutInThinPagesToo(limit: Int) async throws {
        try await withProducts { server, ids in
            let (device, other) = (server.device("3.0.0"), server.device("3.0.0"))
            for one in [device, other] { try await one.pullAll() }
            // From here on the cursors of its pushes stay where they are, because it does not know all there is.
            try await other.push([.update("Product", ids[2], named(1), at: moment(100))])
            for round in 0..<8 as Range<Int64> {
                try await device.push(
                    ids.prefix(2).map { .update("Product", $0, named(round), at: moment(101 + round)) })
            }
            // The state before was not sent to it yet, so this is no change of its own.
            try await device.push([.update("Product", ids[2], ["unit": "kg"], at: moment(201))])
            let pulled = try await device.pullAll(limit: limit)
            #expect(Set(pulled.compactMap { $0["id"].string }).contains(ids[2].description))
            if limit > 1 { #expect(pulled.count == 1) }
            #expect(await device.store == (try await server.view("3.0.0")))
        }
    }

    @Test(arguments: [1, 3, 6, 1000]) func deletionsAreSentInWindows(limit: Int) async throws {
        try await withProducts { server, ids in
            let device = server.device("3.0.0")
            try await device.pullAll(limit: limit)
            try await server.device("3.0.0").push(ids.prefix(4).map { .delete("Product", $0, at: moment(300)) })
            let received = try await device.pullAll(limit: limit)
            #expect(received.filter { $0["op"] == "delete" }.count == 4)
            #expect(await device.store["Product"]?.count == 2)
        }
    }

    /// Between any two pages, records move on from numbers that were sent and from such that were not.
    @Test(arguments: [1, 2, 5]) func nothingIsLostBetweenPagesThatRecordsMoveAcross(limit: Int) async throws {
        try await withProducts { server, ids in
            var random = SplitMix64(seed: UInt64(limit))
            let (device, writer) = (server.device("3.0.0"), server.device("3.0.0"))
            try await writer.pullAll()
            var round: Int64 = 0
            while try await device.pullPage(limit: limit).more {
                round += 1
                if round > 30 { continue }
                let moved = ids.shuffled(using: &random).prefix(2)
                try await writer.push(moved.map { .update("Product", $0, named(round), at: moment(100 + round)) })
                try await device.push([
                    .update("Product", ids[0], ["unit": .string("\(round)")], at: moment(100 + round))
                ])
            }
            #expect(await device.store == (try await server.view("3.0.0")))
        }
    }

    /// The record has moved on, by the device's own edit, out of the window in which the other's would have come.
    @Test(arguments: [(1, 1), (1, 1000), (2, 2), (6, 6)])
    func anEditOfWhatAWindowHasNotReachedIsSentAll(before: Int, limit: Int) async throws {
        try await withProducts { server, ids in
            let (device, other) = (server.device("3.0.0"), server.device("3.0.0"))
            for one in [device, other] { try await one.pullAll() }
            for _ in 0..<3 { try await other.push([.create("Purchase", .random(), at: moment(2))]) }
            try await other.push([.update("Product", ids[0], named(99), at: moment(3))])
            for _ in 0..<3 { try await other.push([.create("Purchase", .random(), at: moment(4))]) }
            try await device.pullPage(limit: before)
            try await device.push([.update("Product", ids[0], ["unit": "kg"], at: moment(5))])
            try await device.pullAll(limit: limit)
            #expect(await device.value("Product", ids[0], "normalizedName") == "99")
            #expect(await device.store == (try await server.view("3.0.0")))
        }
    }

    /// The page's first half and its rest are two transactions; if the space has moved between them, it is read anew.
    @Test(arguments: [true, false])
    func aThinPageWhoseSpaceMovesMeanwhileNamesNoRecordTwice(moves: Bool) async throws {
        try await withProducts { server, ids in
            let writer = server.device("3.0.0")
            try await writer.pullAll()
            for round in 0..<3 as Range<Int64> {
                try await writer.push(
                    ids.dropFirst().map { .update("Product", $0, named(round), at: moment(100 + round)) })
            }
            let pulls = try #require(InterruptedPulls(server, version: "3.0.0"))
            let page = try await pulls.pull(limit: 20) {
                if moves { try await writer.push([.update("Product", ids[0], named(9), at: moment(300))]) }
            }
            await pulls.close()
            let received = try JSONValue(parsing: Array("[".utf8) + page.changes + Array("]".utf8)).elements
            let numbers = received.compactMap { $0["seq"].int }
            #expect(Set(received.compactMap { $0["id"].string }).count == received.count)
            #expect(numbers.sorted() == numbers && numbers.count == WindowTests.count)
            #expect(numbers.first == (moves ? 2 : 1) && numbers.last == page.head)
            #expect(page.head == (moves ? 28 : 27) && !page.more)
        }
    }

    /// The query of the space's head was answered before the collector came.
    @Test func whatIsCollectedBetweenTheQuestionAndThePageIsNotMissed() async throws {
        try await withProducts { server, ids in
            let pulls = try #require(InterruptedPulls(server, version: "3.0.0"))
            let whole = try await pulls.pull(limit: 5000)
            try await server.device("3.0.0").push([.delete("Product", ids[0], at: moment(300))])
            await #expect(throws: SyncError.cursorExpired) {
                try await pulls.pull(after: whole.cursor, limit: 5000) {
                    try await server.collect(olderThanDays: 0)
                }
            }
            await pulls.close()
        }
    }

    /// Whatever order a push names them in: in the table, records that follow each other by number stay together.
    @Test func rewrittenRecordsLieInTheOrderOfTheirNumbers() async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            var random = SplitMix64(seed: 7)
            let ids = (0..<100).map { _ in ID.random() }
            let writer = server.device("3.0.0")
            try await writer.push(ids.map { .create("Product", $0, at: moment(1)) })
            // Once only: after that, PostgreSQL fills what it has cleaned up.
            try await writer.push(
                ids.shuffled(using: &random).prefix(80).map { .update("Product", $0, named(1), at: moment(2)) })
            let session = try await Session.open(server.database.superuserConnectionString)
            let rows = try await session.execute(
                """
                SELECT row_number() OVER (ORDER BY seq) - row_number() OVER (ORDER BY ctid)
                FROM allesteurer.product_v1 WHERE seq > 100
                """)
            await session.close()
            #expect((0..<rows.count).map { rows.int($0, 0) } == Array(repeating: 0, count: 80))
        }
    }

    /// In the middle of paging, as it seems, so that nobody has asked for the head before the window is made.
    @Test func aCursorOfAnyNumberIsRefused() async throws {
        try await withProducts { server, _ in
            let device = server.device("3.0.0")
            try await device.pullAll()
            let text = try #require(await device.cursor)
            var cursor = try #require(Cursor(text))
            for seq in [13, .max - 5000, .max - 1] as [Int64] {
                (cursor.seq, cursor.head) = (seq, .max)
                await device.use(cursor: cursor.text)
                let refusal = try await #require(throws: TestDevice.Refused.self) { try await device.pullPage() }
                #expect(refusal.reply.isProblem(410, "epoch-changed"))
            }
        }
    }

    @Test func aWindowIsBoundedByBytes() async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            let text = JSONValue.string(String(repeating: "n", count: 300_000))
            for _ in 0..<2 {
                try await server.device("3.0.0").push(
                    (0..<5).map { _ in .create("Product", .random(), ["normalizedName": text], at: moment(1)) })
            }
            let device = server.device("3.0.0")
            for limit in [5000, 7] {
                await device.loseStore()
                let first = try await device.pullPage(limit: limit)
                #expect(first.more && first.changes.count == 4)
                try await device.pullAll(limit: limit)
                #expect(await device.store["Product"]?.count == 10)
            }
        }
    }

    /// Fifteen tables: the list for a small page, windows for a large one.
    @Test func versionsOfManyTablesAreSentTheSameEitherWay() async throws {
        try await withTestServer { server in
            let entities = ["SDMeal", "SDMoodEntry", "SDProgressEntry"]
            let ids = (0..<300).map { _ in ID.random() }
            let writer = server.device("0.1.1")
            try await writer.push(
                ids.enumerated().map { index, id in .create(entities[index % 3], id, at: moment(1)) })
            let whole = try await server.device("0.1.1").pullAll()
            #expect(whole.count == 300)
            for limit in [20, 95, 96, 299, 300] {
                let pulled = try await server.device("0.1.1").pullAll(limit: limit)
                #expect(pulled == whole, "limit \(limit)")
            }
        }
    }

    /// Six products and six purchases, numbered by turns.
    private func withProducts(_ body: (TestServer, [ID]) async throws -> Void) async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            let writer = server.device("3.0.0")
            let ids = (0..<WindowTests.count / 2).map { _ in ID.random() }
            for (index, id) in ids.enumerated() {
                try await writer.push([.create("Product", id, named(Int64(index)), at: moment(1))])
                try await writer.push([.create("Purchase", .random(), at: moment(1))])
            }
            try await body(server, ids)
        }
    }

    private func named(_ number: Int64) -> [String: JSONValue] { ["normalizedName": .string("\(number)")] }
}

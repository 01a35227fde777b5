import DemoApps
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Tests of the cursor's layout, which devices store.
@Suite struct CursorLayoutTests {
    private let plan = Result { try Plan(FitIQPlan.self) }

    private func cursor(_ widening: Cursor.Widening? = nil, cleared: Int64 = 0) throws -> Cursor {
        Cursor(
            epoch: .random(), seq: 12, head: 9, cleared: cleared, schema: try plan.get().schemas[10], app: "fitiq",
            space: .random(), widening: widening)
    }

    @Test func aCursorIsReadAsItWasWritten() throws {
        let plain = try cursor()
        #expect(Cursor(plain.text) == plain)
        let widening = try cursor(Cursor.Widening(from: try plan.get().schemas[3], reached: 12))
        #expect(Cursor(widening.text) == widening)
        let cleared = try cursor(cleared: 13)
        #expect(Cursor(cleared.text) == cleared && cleared.informedThrough == 13)
        let both = try cursor(Cursor.Widening(from: try plan.get().schemas[3], reached: 12), cleared: 13)
        #expect(Cursor(both.text) == both)
        for cursor in [plain, widening, cleared, both] {
            var acknowledged = with(cursor, [13...13, 20...25])
            #expect(Cursor(acknowledged.text) == acknowledged)
            acknowledged.era = .min
            #expect(Cursor(acknowledged.text) == acknowledged && acknowledged.highestNumber == 25)
        }
    }

    /// The longest comes through a request's body as well as through its query.
    @Test func theLongestCursorIsTaken() async throws {
        let firsts: [Int64] = (1...8).map { 20 * $0 }
        let schema = try plan.get().schemas[3]
        try await withTestServer { server in
            let plain = Cursor(
                epoch: .random(), era: 7, seq: 12, head: 12, cleared: 13, schema: schema, app: "fitiq",
                space: server.space, widening: Cursor.Widening(from: schema, reached: 12))
            let text = with(plain, firsts.map { $0...$0 }).text
            #expect(text.utf8.count == 290)
            let body: JSONValue = ["changes": [], "cursor": .string(text)]
            // It is read, and is one of another database.
            let pull = try await server.send("GET", "\(server.path())?cursor=\(text)")
            #expect(pull.isProblem(410, "epoch-changed"), "\(pull)")
            let push = try await server.send("POST", server.path(), body: body.bytes)
            #expect(push.isProblem(410, "epoch-changed"), "\(push)")
        }
    }

    private func with(_ cursor: Cursor, _ ranges: [ClosedRange<Int64>]) -> Cursor {
        var cursor = cursor
        for range in ranges {
            cursor.acknowledged.append(after: range.lowerBound - 1, through: range.upperBound)
        }
        return cursor
    }

    /// The first go, and are sent once more.
    @Test func aCursorHasAtMostEightRanges() throws {
        let firsts: [Int64] = (1...30).map { 20 * $0 }
        var cursor = with(try cursor(), firsts.map { $0...$0 + 3 })
        cursor.era = 7
        #expect(cursor.text.utf8.count < 300)
        let left: [Int64] = firsts.suffix(8).flatMap { [$0, $0 + 4] }
        #expect(cursor.acknowledged.bounds == left)
        #expect(Cursor(cursor.text) == cursor)
    }

    @Test func rangesThatTouchAreOne() throws {
        #expect(with(try cursor(), [13...15, 16...16, 18...20]).acknowledged.bounds == [13, 17, 18, 21])
    }

    @Test(
        arguments: [
            (12, [13, 17, 20, 25]), (13, [14, 17, 20, 25]), (15, [16, 17, 20, 25]), (16, [20, 25]), (18, [20, 25]),
            (20, [21, 25]), (23, [24, 25]), (24, []), (25, []),
        ] as [(Int64, [Int64])])
    func rangesEndWhereTheCursorHasPassed(number: Int64, bounds: [Int64]) throws {
        let ranges = with(try cursor(), [13...16, 20...24]).acknowledged
        #expect(ranges.above(number).bounds == bounds)
        for other: Int64 in 0...30 {
            #expect(ranges.above(number).contains(other) == (ranges.contains(other) && other > number))
        }
    }

    @Test func rangesOutOfOrderAreNoCursor() throws {
        let text = with(try cursor(), [13...15, 20...25]).text
        let bytes = try #require(Base64.decodeURLSafe(text))
        // What `seq` has passed, an end before its beginning, a beginning in another range, and an odd number of
        // bounds.
        for bounds in [[12, 16], [16, 13], [13, 17, 16, 20], [13, 17, 20]] as [[Int64]] {
            let wrong = bytes.prefix(51) + bounds.flatMap { withUnsafeBytes(of: $0.bigEndian) { Array($0) } }
            #expect(Cursor(Base64.encodeURLSafe(Array(wrong))) == nil, "\(bounds)")
        }
    }

    /// A field that counts only while it is above `seq` is left out once it is not.
    @Test func aCursorAtTheEndOfItsSnapshotIsAsDevicesHaveStoredIt() throws {
        let cursor = try cursor(cleared: 12)
        #expect(cursor.text.utf8.count == 68 && cursor.informedThrough == 12)
        #expect(Cursor(cursor.text)?.informedThrough == 12)
    }

    /// The first layout is what devices have stored: 51 bytes.
    @Test func onlyAWideningTakesTheSecondLayout() throws {
        #expect(try cursor().text.utf8.count == 68)
    }

    @Test func aWideningBeyondItsEndIsNoCursor() throws {
        for reached: Int64 in [-1, 13] {
            let beyond = try cursor(Cursor.Widening(from: try plan.get().schemas[3], reached: reached))
            #expect(Cursor(beyond.text) == nil)
        }
    }

    @Test func aCursorCutShortIsNoCursor() throws {
        let text = try cursor(Cursor.Widening(from: try plan.get().schemas[3], reached: 1)).text
        for count in 0..<text.count { #expect(Cursor(String(text.prefix(count))) == nil) }
    }
}

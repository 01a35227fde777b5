import StrictJSON
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Tests of one push that edits a large record many times.
@Suite struct RepeatedEditTests {
    @Test(arguments: [false, true])
    func aLargeRecordIsEditedAsOftenAsMayBe(isBeyond: Bool) async throws {
        let meal = ID.random()
        let notes = String(repeating: "n", count: 900_000)
        let edits = PushContext.repeatedMaxBytes / notes.utf8.count + (isBeyond ? 1 : -10)
        let changes =
            [JSONValue.create("SDMeal", meal, ["notes": .string(notes)], at: moment(1))]
            + (0..<edits).map { .update("SDMeal", meal, ["mealType": .string("\($0)")], at: moment(Int64(2 + $0))) }
        try await withTestServer { server in
            try await server.withEngine { engine in
                let document = try JSONDocument(parsing: JSONValue.array(changes).bytes)
                let caller = SyncEngine.Caller(space: server.space, version: server.plan.newest, device: nil)
                if isBeyond {
                    await #expect {
                        try await engine.push(document.root, cursor: nil, as: caller)
                    } throws: { error in
                        guard case SyncError.tooMuchRepeated = error else { return false }
                        return true
                    }
                } else {
                    let verdicts = try await engine.push(document.root, cursor: nil, as: caller).verdicts
                    #expect(verdicts.allSatisfy { $0 == .applied })
                }
            }
            // All of it or nothing.
            #expect(try await server.view("0.1.1")["SDMeal", default: [:]].count == (isBeyond ? 0 : 1))
        }
    }
}

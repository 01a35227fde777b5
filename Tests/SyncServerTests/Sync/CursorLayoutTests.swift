import Apps
import SyncServer
import Testing
import WireFormats

/// What a device stores of where it is.
@Suite struct CursorLayoutTests {
    private let plan = Result { try Plan(FitIQPlan.self) }

    private func cursor(_ widening: Cursor.Widening? = nil, cleared: Int64 = 0) throws -> Cursor {
        Cursor(
            epoch: .random(), seq: 12, origin: 9, cleared: cleared, schema: try plan.get().schemas[10], app: "fitiq",
            space: .random(), widening: widening)
    }

    @Test func aCursorIsReadAsItWasWritten() throws {
        let plain = try cursor()
        #expect(Cursor(plain.text) == plain)
        let widening = try cursor(Cursor.Widening(from: try plan.get().schemas[3], walked: 12))
        #expect(Cursor(widening.text) == widening)
        let cleared = try cursor(cleared: 13)
        #expect(Cursor(cleared.text) == cleared && cleared.informedThrough == 13)
        let both = try cursor(Cursor.Widening(from: try plan.get().schemas[3], walked: 12), cleared: 13)
        #expect(Cursor(both.text) == both)
    }

    /// What it says only while it is above `seq` is left out once it is not.
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
        for walked: Int64 in [-1, 13] {
            let beyond = try cursor(Cursor.Widening(from: try plan.get().schemas[3], walked: walked))
            #expect(Cursor(beyond.text) == nil)
        }
    }

    @Test func aCursorCutShortIsNoCursor() throws {
        let text = try cursor(Cursor.Widening(from: try plan.get().schemas[3], walked: 1)).text
        for count in 0..<text.count { #expect(Cursor(String(text.prefix(count))) == nil) }
    }
}

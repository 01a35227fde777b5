import Apps
import SyncServer
import Testing
import WireFormats

/// What a device stores of where it is.
@Suite struct CursorLayoutTests {
    private let plan = Result { try Plan(FitIQPlan.self) }

    private func cursor(_ widening: Cursor.Widening? = nil) throws -> Cursor {
        Cursor(
            epoch: .random(), seq: 12, origin: 9, schema: try plan.get().schemas[10], app: "fitiq", space: .random(),
            widening: widening)
    }

    @Test func aCursorIsReadAsItWasWritten() throws {
        let plain = try cursor()
        #expect(Cursor(plain.text) == plain)
        let widening = try cursor(Cursor.Widening(from: try plan.get().schemas[3], walked: 12))
        #expect(Cursor(widening.text) == widening)
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

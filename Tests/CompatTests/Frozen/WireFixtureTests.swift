import Testing
import WireFormats

/// Lines of golden files: a line that cannot be read, or is written differently, is reported.
@Suite struct WireFixtureTests {
    private let fixture: WireFixture

    init() throws {
        let plan = try Plan(NotesPlan.self)
        fixture = WireFixture(try #require(plan.projection(version: 1, named: "Note")), in: plan)
    }

    private func line(_ fields: String) -> String {
        #"{"entity":"Note","id":"5c1d5e0a-0000-4000-8000-000000000001","fields":{\#(fields)}}"#
    }

    private let sound = #""text":"a","price":0.1,"at":"2026-01-31T08:00:00Z","title":"""#

    @Test func aSoundLineHolds() {
        #expect(fixture.faults(in: line(sound) + "\n" + line(sound)) == [])
    }

    @Test(
        "text that a client sent is read and written unchanged, byte for byte",
        arguments: [
            (#""text":"a","price":0.1,"at":"2026-01-31T08:00:00Z""#, "lacks Note.title"),
            (#""text":"a","price":0.1,"at":"2026-01-31T08:00:00Z","title":"","more":1"#, "no longer has Note.more"),
            (#""text":"a","price":"0.1","at":"2026-01-31T08:00:00Z","title":"""#, "Note.price is no longer read"),
            (#""text":"a","price":0.10,"at":"2026-01-31T08:00:00Z","title":"""#, "comes out as"),
            (#""text":"a","price":0.1,"at":"2026-01-31T08:00:00.0000001Z","title":"""#, "comes out as"),
            (#""text":"\u0041","price":0.1,"at":"2026-01-31T08:00:00Z","title":"""#, "comes out as"),
        ])
    func anUnsoundLineIsNamed(fields: String, message: String) {
        let faults = fixture.faults(in: line(sound) + "\n" + line(fields))
        #expect(faults.map(\.line) == [2])
        #expect(faults.first?.message.contains(message) == true, "\(faults)")
    }

    @Test func whatIsNoRecordIsNamed() {
        #expect(fixture.faults(in: "").count == 1)
        #expect(fixture.faults(in: "{").count == 1)
        #expect(
            fixture.faults(in: #"{"entity":"Other","id":"5c1d5e0a-0000-4000-8000-000000000001","fields":{}}"#).count
                == 1)
    }
}

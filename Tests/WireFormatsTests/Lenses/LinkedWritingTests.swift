import Testing

@testable import WireFormats

/// Writes to attributes that stages link in several ways.
@Suite struct LinkedWritingTests {
    /// Labels and minutes become a note; other labels and hours are joined later. So all are one unit with the times
    /// that the minutes are derived from.
    @Test func whatDoesNotFollowFromAnEditKeepsWhatWasWritten() throws {
        let plan = try Plan(DiaryPlan.self)
        let views = try (0..<3).map { try #require(plan.projection(version: $0, named: "Trip")) }
        let ends = Value.date(Timestamp(microseconds: 90_000_001))
        func edit(_ view: Projection, _ name: String, _ value: Value) throws -> FieldEdit {
            FieldEdit(field: try #require(view.field(named: name)), value: value)
        }
        func value(_ name: String, in version: Int, of row: [Value]) throws -> Value {
            views[version].fields[try #require(views[version].field(named: name))].view(
                row[views[version].fields[try #require(views[version].field(named: name))].column])
        }
        var row = try views[0].create(
            [edit(views[0], "ends", ends), edit(views[0], "mood", .string("happy"))], id: ID(high: 0, low: 1),
            createdAt: Timestamp(microseconds: 0))
        #expect(try value("minutes", in: 1, of: row) == .int(1))
        try views[1].write([edit(views[1], "labels", .json(#"["sad","tired"]"#))], into: &row)
        #expect(try value("mood", in: 0, of: row) == .string("sad"))
        #expect(try value("note", in: 2, of: row) == .string("sad"))
        // The value is one and a half minutes; the newer version reads one.
        #expect(try value("ends", in: 0, of: row) == ends)
        // The note, the labels and the hours are derived from the labels and the minutes. These are unchanged, and so
        // are the values behind them.
        try views[2].write([edit(views[2], "note", .string("tired"))], into: &row)
        #expect(try value("labels", in: 1, of: row) == .json(#"["tired","tired"]"#))
        #expect(try value("ends", in: 0, of: row) == ends)
        try views[1].write([edit(views[1], "minutes", .int(1))], into: &row)
        #expect(try value("ends", in: 0, of: row) == .date(Timestamp(microseconds: 60_000_000)))
    }
}

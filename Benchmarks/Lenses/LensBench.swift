import DemoApps
import WireFormats

/// Translates ten thousand rows between a version and the form of the tables, without server and database: the cost of
/// the lenses alone, for the oldest version that has the entity and for the newest.
@main
struct LensBench {
    private static let rows = 10_000
    private static let rounds = 15

    static func main() throws {
        print("\(rows) rows, milliseconds, median of \(rounds) rounds")
        print(line("entity, version", ["in", "out", "echo"]))
        try measure(Plan(AllesTeurerPlan.self), "purchase_v1") { field, row in
            switch field.type.kind {
            case .double: .double(Double(row) / 7)
            case .decimal: DecimalText(shortest: Double(row) / 7).map(Value.decimal) ?? .null
            default: nil
            }
        }
        try measure(Plan(FitIQPlan.self), "sd_meal_log_item") { field, row in
            switch (field.name, field.type.kind) {
            case ("quantity", .string): .string("\(row % 50) 1/2 cups")
            case (_, .double): .double(Double(row) / 4)
            case ("unit", _): .string("cups")
            default: nil
            }
        }
    }

    /// - Parameter value: returns the value of a row's field; `nil` for a field that is not stated.
    private static func measure(
        _ plan: Plan, _ table: String, value: (Projection.Field, Int) -> Value?
    ) throws {
        guard let entity = plan.hub.entities.firstIndex(where: { $0.table == table }),
            let oldest = plan.projections.compactMap({ $0[entity] }).first,
            let newest = plan.projections[plan.newest][entity]
        else { return print("no table \(table)") }
        for projection in [oldest, newest] {
            let records = (0..<rows).map { row in
                projection.fields.indices.compactMap { index in
                    value(projection.fields[index], row).map { FieldEdit(field: index, value: $0) }
                }
            }
            let (id, date) = (ID(high: 1, low: 2), Timestamp(microseconds: 1_763_640_000_000_000))
            var stored: [[Value]] = []
            let into = try median {
                stored = try records.map { try projection.create($0, id: id, createdAt: date) }
            }
            var seen: [[Value]] = []
            let out = median { seen = stored.map(projection.view) }
            let echo = try median {
                for index in stored.indices {
                    try projection.put(
                        seen[index].enumerated().map { FieldEdit(field: $0, value: $1) }, into: &stored[index])
                }
            }
            let title = "\(projection.name), \(plan.schemas[projection.version].version)"
            print(line(title, [into, out, echo].map { text($0) }))
        }
    }

    private static func median(_ body: () throws -> Void) rethrows -> Duration {
        let clock = ContinuousClock()
        let times = try (0..<rounds).map { _ in try clock.measure(body) }.sorted()
        return times[rounds / 2]
    }

    private static func line(_ title: String, _ cells: [String]) -> String {
        let texts = cells.map { String(repeating: " ", count: max(1, 8 - $0.count)) + $0 }
        return title + String(repeating: " ", count: max(1, 24 - title.count)) + texts.joined()
    }

    private static func text(_ time: Duration) -> String {
        let tenths = Int(time / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10)"
    }
}

import PGStore
import Postgres
import SyncTestSupport
import WireFormats

/// A reading of what PostgreSQL did for commands.
struct PlanReading: Sendable {
    /// The number of rows that the plans' nodes handled, discarded ones too: a row that is read, joined and returned
    /// counts three times.
    var rows = 0
    /// For whoever must find out why.
    var plans: [String] = []

    /// - Parameter json: what EXPLAIN (ANALYZE, FORMAT JSON) says.
    mutating func add(_ json: String) throws {
        let plan = try JSONValue(parsing: Array(json.utf8))
        rows += Int(plan.elements.reduce(0) { $0 + PlanReading.rows(of: $1["Plan"]) })
        plans.append(json)
    }

    private static func rows(of node: JSONValue) -> Double {
        let kinds = ["Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter"]
        let each = (kinds + ["Rows Removed by Index Recheck"]).reduce(0) { $0 + number(node[$1]) }
        return each * number(node["Actual Loops"]) + node["Plans"].elements.reduce(0) { $0 + rows(of: $1) }
    }

    private static func number(_ value: JSONValue) -> Double {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        default: 0
        }
    }
}

extension Session {
    private struct RolledBack: Error {
        let reading: PlanReading
    }

    /// Runs commands of a transaction in a space, and leaves no trace.
    ///
    /// Each is explained as the session has it prepared, so that the plan is the very one that it would run by.
    func reading(of commands: [Command], in space: ID) throws -> PlanReading {
        do {
            try transaction(preamble: [Spaces.entering(space)]) { session in
                var reading = PlanReading()
                for command in commands { try session.explain(command, &reading) }
                throw RolledBack(reading: reading)
            }
        } catch let end as RolledBack {
            return end.reading
        }
        return PlanReading()
    }

    /// Runs commands so often that PostgreSQL has settled on how to plan them, and leaves no trace.
    func warm(_ commands: [Command], in space: ID, times: Int = 10) throws {
        for _ in 0..<times {
            do {
                try transaction(preamble: [Spaces.entering(space)]) { session in
                    for command in commands { try session.execute(command) }
                    throw RolledBack(reading: PlanReading())
                }
            } catch is RolledBack {}
        }
    }

    private func explain(_ command: Command, _ reading: inout PlanReading) throws {
        guard command.isPlanned else {
            try execute(command)
            return
        }
        let before = try rowsFetched()
        var counted = PlanReading()
        let name = try nameOfPrepared(command)
        let values = command.parameters.map(\.literal).joined(separator: ", ")
        let rows = try execute(
            Command(
                Statement(
                    unchecked: "EXPLAIN (ANALYZE, FORMAT JSON, COSTS OFF, TIMING OFF) EXECUTE \(name)"
                        + (values.isEmpty ? "" : "(\(values))"))))
        try counted.add(rows.string(0, 0))
        // What functions do inside is in no plan.
        reading.rows += max(counted.rows, try rowsFetched() - before)
        reading.plans += counted.plans
    }

    /// Returns the session's name of a prepared command, and prepares it first if it is not.
    private func nameOfPrepared(_ command: Command) throws -> String {
        let asking = Command(
            "SELECT name FROM pg_prepared_statements WHERE statement = $1 ORDER BY prepare_time DESC LIMIT 1",
            [.text(command.statement.sql)])
        var rows = try execute(asking)
        if rows.count == 0 {
            do {
                try savepoint { session in
                    try session.execute(command)
                    throw RolledBack(reading: PlanReading())
                }
            } catch is RolledBack {}
            rows = try execute(asking)
        }
        return rows.string(0, 0)
    }

    private func rowsFetched() throws -> Int {
        let rows = try execute(
            """
            SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::bigint
            FROM pg_stat_xact_user_tables
            """)
        return Int(rows.int(0, 0))
    }
}

extension Command {
    /// True if the command is more than a setting.
    fileprivate var isPlanned: Bool { !statement.sql.hasPrefix("SET") }
}

import PGMigrations
import PGStore
import SQLText
import StrictJSON
import WireFormats

/// The steps that a run of migrations would execute, as text and as JSON.
struct PlanReport {
    let forecast: MigrationForecast
    /// True if the run also executes contract steps, which remove what servers of earlier releases need.
    let withContracts: Bool
    let audience: AffectedVersions
    let findings: [LintFinding]

    var text: String {
        if forecast.steps.isEmpty { return "Nothing is pending." }
        var paragraphs = steps.map { step in paragraph(step).joined(separator: "\n") }
        paragraphs += findings.map(\.description)
        return (paragraphs + [summary]).joined(separator: "\n\n")
    }

    /// The pending steps in the order in which they would run.
    private var steps: [MigrationForecast.Step] {
        if forecast.isNew { return forecast.steps }
        return forecast.steps.filter { !isContract($0) } + forecast.steps.filter(isContract)
    }

    private func isContract(_ step: MigrationForecast.Step) -> Bool { step.step.phase == .contract }

    /// Returns the way in which a run would treat the step. If a contract step must wait, the later contract steps of
    /// the same app (or of the server's own tables) must wait, too.
    private func fate(of step: MigrationForecast.Step) -> Fate {
        if !isContract(step), step.conditions.contains(where: { $0.obstacle != nil }) { return .waits }
        guard isContract(step), !forecast.isNew else { return .runs }
        if !withContracts { return .left }
        let before = forecast.steps.filter { isContract($0) && $0.file.id.line == step.file.id.line }
            .prefix { $0 != step }
        let isHeld = (before + [step]).contains { $0.conditions.contains { $0.obstacle != nil } }
        return isHeld ? .waits : .runs
    }

    /// The ways in which a run treats a step: it runs the step, leaves it for a run with contract steps, or waits until
    /// the step's conditions are met.
    private enum Fate: String {
        case runs, left, waits

        var words: String {
            switch self {
            case .runs: "runs"
            case .left: "is left for ‘migrate up --contract’"
            case .waits: "waits"
            }
        }
    }

    // MARK: For people

    private func paragraph(_ step: MigrationForecast.Step) -> [String] {
        var lines = ["\(step.file.path) (\(step.step.phase)) \(fate(of: step).words), \(mode(step.step))".wrapped()]
        lines += step.step.statements.map { "    \(shortened($0))" }
        lines += step.locks.map { "  locks \(words($0))".wrapped(indent: 4) }
        lines += step.conditions.map { condition in
            "  requires \(condition.text): \(condition.obstacle ?? "that holds now.")".wrapped(indent: 4)
        }
        return lines + [effect(of: step).wrapped(indent: 4)]
    }

    private func mode(_ step: MigrationStep) -> String {
        switch step.mode {
        case .transaction where step.phase == .verify: "in one snapshot"
        case .transaction: "in one transaction"
        case .statements: "each statement by itself"
        case .batches(_, let size): "\(size) rows at a time"
        }
    }

    /// Shortens a statement to one line of at most 100 columns.
    private func shortened(_ statement: SQLStatement) -> String {
        let columns = 96
        let text = statement.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.count <= columns ? text : "\(text.prefix(columns - 2)) …"
    }

    private func words(_ lock: MigrationForecast.Lock) -> String {
        let mode = lock.lock.mode
        let waiting = mode.blocksReads ? "pulls and pushes wait" : mode.blocksWrites ? "pushes wait" : "nobody waits"
        var parts = ["\(lock.lock.table): \(mode.name), \(waiting)"]
        switch lock.lock.work {
        case .none: break
        case .scan: parts.append("every row is read under it")
        case .rewrite: parts.append("every row is written anew under it")
        }
        let rows = lock.extent.rows.map { "about \($0) rows" } ?? "rows unknown before an ANALYZE"
        return (parts + ["\(rows), \(lock.extent.bytes.sizeText)"]).joined(separator: "; ")
    }

    private func effect(of step: MigrationForecast.Step) -> String {
        if step.isUnwatched {
            return "  devices: no device is sent anything. What DO and CALL change outside a transaction is not looked "
                + "at."
        }
        if !forecast.isNew, let words = refusal(of: step) { return "  devices: \(words)" }
        guard step.changesRows else { return "  devices: no record changes, no device is sent anything." }
        switch step.step.effect {
        case nil, .silent: return "  devices: no device is sent anything."
        case .republish(let entities):
            let count = step.rows.map { "up to about \($0) records" } ?? "a number of records that is not known"
            let receivers = entities.map { entity in
                "\(entity) to every device of \(audience.summary(seeing: entity, of: step.file.id.line))"
            }
            return "  devices: \(count) are sent again, \(receivers.joined(separator: "; "))."
        }
    }

    /// Returns the reason why `up` would roll the step back if the tables that it changes contained records; `nil` if
    /// it would not.
    private func refusal(of step: MigrationForecast.Step) -> String? {
        let (taken, rewritten) = (step.takenTables, step.rewrittenTables)
        if !taken.isEmpty {
            return "\(list(taken)) goes or gets another name, and no device is told. Where a version keeps records "
                + "there, ‘up’ takes the step back."
        }
        if step.step.effect != nil || rewritten.isEmpty { return nil }
        return "‘up’ takes the step back where \(list(rewritten)) has records: it writes all of them anew, and does "
            + "not say what devices learn of that. Write ‘-- sync: silent’ or ‘-- sync: republish(Entity)’."
    }

    private func list(_ tables: [SQLName]) -> String { tables.map(\.description).joined(separator: ", ") }

    private var summary: String {
        let errors = findings.count { $0.severity == .error }
        let files = Set(forecast.steps.map(\.file.path)).count
        let held = forecast.steps.count { fate(of: $0) != .runs }
        return "\(forecast.steps.count) steps of \(files) files are pending, of which \(held) would not run. "
            + "Errors of the linter: \(errors), warnings: \(findings.count - errors)."
    }

    // MARK: For machines

    var json: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("isNew", forecast.isNew)
            writer.member("steps", each: steps) { writer, step in write(step, to: &writer) }
            writer.member("findings", each: findings) { writer, finding in finding.write(to: &writer) }
            writer.endObject()
        }
    }

    private func write(_ step: MigrationForecast.Step, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("migration", step.file.path)
        writer.member("step", step.step.number)
        writer.member("phase", step.step.phase.rawValue)
        writer.member("mode", modeName(step.step.mode))
        writer.member("fate", fate(of: step).rawValue)
        writer.member("statements", step.step.statements.map(\.text))
        writer.member("locks", each: step.locks) { writer, lock in write(lock, to: &writer) }
        writer.member("conditions", each: step.conditions) { writer, condition in
            writer.beginObject()
            writer.member("requires", condition.text)
            writer.member("obstacle", condition.obstacle)
            writer.endObject()
        }
        guard step.changesRows else { return writer.endObject() }
        writer.key("rows")
        if let rows = step.rows { writer.int(rows) } else { writer.null() }
        if case .republish(let entities) = step.step.effect {
            writer.member("republished", each: entities) { writer, entity in
                writer.beginObject()
                writer.member("entity", entity)
                writer.member("versions", audience.shapes(seeing: entity, of: step.file.id.line))
                writer.endObject()
            }
        }
        writer.endObject()
    }

    private func modeName(_ mode: MigrationStep.Mode) -> String {
        switch mode {
        case .transaction: "transaction"
        case .statements: "statements"
        case .batches: "batches"
        }
    }

    private func write(_ lock: MigrationForecast.Lock, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("table", "\(lock.lock.table)")
        writer.member("mode", lock.lock.mode.name)
        writer.member("work", "\(lock.lock.work)")
        writer.member("bytes", lock.extent.bytes)
        writer.key("rows")
        if let rows = lock.extent.rows { writer.int(rows) } else { writer.null() }
        writer.endObject()
    }
}

import PGMigrations
import PGStore
import StrictJSON
import SyncEngine
import SyncServer

extension MigrateCommand {
    func status() async throws -> Int32 {
        let statuses = try await migrator.status()
        Terminal.print(asJSON ? json(statuses) : statuses.map(line).joined(separator: "\n"))
        if statuses.allSatisfy(\.isServable) {
            return statuses.allSatisfy { $0.isApplied || $0.state == .future } ? 0 : MigrateCommand.somethingWaits
        }
        return 1
    }

    private func line(_ status: MigrationStatus) -> String {
        var line = "\(status.state.name.padded(to: 18))\(status.path)"
        for step in status.records where step.state != .done {
            if let progress = progress(step, of: status) { line += "\n\(indent)\(progress)" }
            if !step.error.isEmpty { line += "\n\(indent)\(step.error)" }
        }
        if let resolution = status.resolution { line += "\n\(wrapped(words(resolution)))" }
        if status.state != .future, let advice = status.state.advice { line += "\n\(indent)\(advice)" }
        return line
    }

    private var indent: String { String(repeating: " ", count: 18) }

    private func words(_ resolution: MigrationResolution) -> String {
        "Resolved as \(resolution.verdict.rawValue) at \(resolution.at) by \(resolution.who): \(resolution.because)"
    }

    private func wrapped(_ text: String) -> String { (indent + text).wrapped(indent: 0) }

    private func progress(_ record: StepRecord, of status: MigrationStatus) -> String? {
        guard let step = step(record, of: status) else { return nil }
        switch step.mode {
        case .batches:
            let all = record.rowsAll > 0 ? " of about \(record.rowsAll)" : ""
            return "\(step.phase): \(record.rowsDone)\(all) rows"
        case .statements: return "\(step.phase): \(record.statementsDone) of \(step.statements.count) statements"
        case .transaction: return nil
        }
    }

    private func step(_ record: StepRecord, of status: MigrationStatus) -> MigrationStep? {
        lines.flatMap(\.files).first { $0.id == status.id }?.steps.first { $0.number == record.number }
    }

    private func json(_ statuses: [MigrationStatus]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for status in statuses {
            writer.beginObject()
            writer.member("migration", status.path)
            writer.member("state", status.state.name)
            if let file = lines.flatMap(\.files).first(where: { $0.id == status.id }) {
                writer.member("checksum", file.checksum)
            }
            if let resolution = status.resolution {
                writer.object("resolution") { writer in
                    writer.member("verdict", resolution.verdict.rawValue)
                    writer.member("because", resolution.because)
                    writer.member("who", resolution.who)
                    writer.member("at", "\(resolution.at)")
                }
            }
            writer.key("steps")
            writer.beginArray()
            for step in status.records { write(step, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(_ step: StepRecord, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("step", step.number)
        writer.member("phase", step.phase.rawValue)
        writer.member("state", step.state.rawValue)
        writer.member("statementsDone", step.statementsDone)
        writer.member("rowsDone", step.rowsDone)
        writer.member("rowsAll", step.rowsAll)
        if !step.error.isEmpty {
            writer.member("error", step.error)
        }
        writer.endObject()
    }
}

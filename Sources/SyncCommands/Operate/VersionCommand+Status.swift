import PGMigrations
import PGStore
import Postgres
import SyncEngine
import WireFormats

/// The lifecycle states of versions, and their use.
extension VersionCommand {
    func status() async throws {
        let report = try await CensusReport.read(plan, at: now, session)
        let rows = VersionLives.Row.all(try await session.execute(VersionLives.reading)).filter { $0.app == plan.app }
        let lines = report.lines.map { line in
            let row = rows.first { $0.version == line.version }
            return (line, row ?? VersionLives.Row(app: plan.app, version: line.version))
        }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("app", plan.app)
                    writer.member("versions", each: lines) { writer, pair in
                        writer.beginObject()
                        writer.life(pair.1, at: now)
                        writer.member("devices", pair.0.month.devices)
                        writer.member("subjects", pair.0.month.subjects)
                        writer.member("withoutSubject", pair.0.month.unattributed)
                        writer.member("hasAnonymous", pair.0.hasAnonymous)
                        if let age = pair.0.outboxAge { writer.member("outboxAge", age) }
                        writer.endObject()
                    }
                    writer.endObject()
                })
            return
        }
        Terminal.print("\(plan.app): who was seen in the last 30 days")
        Terminal.print(
            "  " + "VERSION".padded(to: 28) + "STATE".padded(to: 12) + "DEVICES".padded(to: 9)
                + "SUBJECTS".padded(to: 10)
                + "OUTBOX".padded(to: 9) + "ENDS".padded(to: 12) + "OUTBOX UNTIL")
        for (line, row) in lines {
            let devices = "\(line.month.devices)" + (line.hasAnonymous ? "*" : "")
            let outbox = line.outboxAge.map { Duration.seconds($0).roughText } ?? "-"
            let ends = (row.retired ?? row.sunset)?.day ?? "-"
            Terminal.print(
                "  " + line.version.padded(to: 28) + row.state(at: now).rawValue.padded(to: 12) + devices.padded(to: 9)
                    + line.month.subjectsText.padded(to: 10) + outbox.padded(to: 9) + ends.padded(to: 12)
                    + (row.outboxUntil?.day ?? "-"))
        }
        if lines.contains(where: \.0.hasAnonymous) {
            Terminal.print("  * and devices that do not say which they are, counted as one")
        }
        if lines.contains(where: { $0.0.month.unattributed > 0 }) {
            Terminal.print("  + behind some of the devices stands nobody who is known: they may be more")
        }
    }

    func log() async throws {
        let rows = try await session.execute(VersionLives.events(of: plan.app))
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("events", each: 0..<rows.count) { writer, row in
                        writer.beginObject()
                        writer.member("at", rows.timestamp(row, 0).description)
                        writer.member("by", rows.string(row, 1))
                        writer.member("version", rows.string(row, 2))
                        writer.member("action", rows.string(row, 3))
                        writer.member("forced", rows.bool(row, 4))
                        writer.member("detail", rows.string(row, 5))
                        writer.endObject()
                    }
                    writer.endObject()
                })
            return
        }
        for row in 0..<rows.count {
            let forced = rows.bool(row, 4) ? ", forced" : ""
            Terminal.print("\(rows.timestamp(row, 0).minute)  \(rows.string(row, 1))\(forced)")
            Terminal.print("  \(rows.string(row, 2)): \(rows.string(row, 5))".wrapped(indent: 4))
        }
        if rows.count == 0 { Terminal.print("Nothing has been said of a version of \(plan.app) yet.") }
    }
}

extension JSONWriter {
    /// Writes the lifecycle state of a version as members.
    mutating func life(_ row: VersionLives.Row, at now: Timestamp) {
        member("version", row.version)
        member("state", row.state(at: now).rawValue)
        members(of: row)
    }
}

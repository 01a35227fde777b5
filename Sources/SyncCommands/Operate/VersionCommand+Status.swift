import Operations
import PGMigrations
import PGStore
import StrictJSON
import SyncEngine
import WireFormats

/// The output of the versions' lifecycle states and their use.
extension VersionCommand {
    func status() async throws {
        let versions = try await versions.status()
        let now = self.versions.now
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("app", plan.app)
                    writer.member("versions", each: versions) { writer, version in
                        writer.beginObject()
                        writer.lifecycle(version.lifecycle, at: now)
                        writer.member("devices", version.use.month.devices)
                        writer.member("subjects", version.use.month.subjects)
                        writer.member("withoutSubject", version.use.month.unattributed)
                        writer.member("hasAnonymous", version.use.hasAnonymous)
                        if let age = version.use.outboxAge { writer.member("outboxAge", age) }
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
        for version in versions {
            let (line, row) = (version.use, version.lifecycle)
            let devices = "\(line.month.devices)" + (line.hasAnonymous ? "*" : "")
            let outbox = line.outboxAge.map { Duration.seconds($0).roughText } ?? "-"
            let ends = (row.retired ?? row.sunset)?.day ?? "-"
            Terminal.print(
                "  " + line.version.padded(to: 28) + row.state(at: now).rawValue.padded(to: 12) + devices.padded(to: 9)
                    + line.month.subjectsText.padded(to: 10) + outbox.padded(to: 9) + ends.padded(to: 12)
                    + (row.outboxUntil?.day ?? "-"))
        }
        if versions.contains(where: \.use.hasAnonymous) {
            Terminal.print("  * and devices that do not say which they are, counted as one")
        }
        if versions.contains(where: { $0.use.month.unattributed > 0 }) {
            Terminal.print("  + behind some of the devices stands nobody who is known: they may be more")
        }
    }

    func log() async throws {
        let events = try await versions.events()
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("events", each: events) { writer, event in
                        writer.beginObject()
                        writer.member("at", event.at.description)
                        writer.member("by", event.by)
                        writer.member("version", event.version)
                        writer.member("action", event.action)
                        writer.member("forced", event.isForced)
                        writer.member("detail", event.detail)
                        writer.endObject()
                    }
                    writer.endObject()
                })
            return
        }
        for event in events {
            Terminal.print("\(event.at.minute)  \(event.by)\(event.isForced ? ", forced" : "")")
            Terminal.print("  \(event.version): \(event.detail)".wrapped(indent: 4))
        }
        if events.isEmpty { Terminal.print("Nothing has been said of a version of \(plan.app) yet.") }
    }
}

extension JSONWriter {
    /// Writes the lifecycle state of a version (deprecated, retired) as members of the current JSON object.
    mutating func lifecycle(_ row: VersionStates.Row, at now: Timestamp) {
        member("version", row.version)
        member("state", row.state(at: now).rawValue)
        members(of: row)
    }
}

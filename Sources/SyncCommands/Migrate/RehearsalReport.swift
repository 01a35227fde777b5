import PGMigrations
import PGStore
import Postgres
import SQLText
import StrictJSON
import SyncEngine
import SyncServer
import WireFormats

/// The result of rehearsing migrations, as text and as JSON.
struct RehearsalReport {
    let rehearsal: MigrationRehearsal
    /// True if only some of the pending migrations were rehearsed. Then the rehearsal did not check whether a server
    /// would start.
    let isPartial: Bool
    /// The reports on the lens laws (the rules for conversions between versions) of all apps; empty if they were not
    /// tested.
    let laws: [LawReport]

    var wouldGoThrough: Bool { rehearsal.failure == nil && laws.allSatisfy(\.isLawful) }

    // MARK: For people

    var text: String {
        if rehearsal.steps.isEmpty, rehearsal.failure == nil {
            let rest = rehearsal.left.isEmpty ? "" : " Contract steps wait: see ‘syncserver migrate plan’."
            return "Nothing is pending that would run, so nothing was copied.\(rest)"
        }
        var paragraphs = [table.joined(separator: "\n")]
        let notes =
            rehearsal.steps.compactMap(warning) + rehearsal.left.map(words)
            + rehearsal.unsendable.map { found in
                "warning: \(found.description). Devices are told the default instead; ‘syncserver migrate doctor’ says "
                    + "what mends them."
            }
        if !notes.isEmpty { paragraphs.append(notes.map { $0.wrapped() }.joined(separator: "\n")) }
        let broken = laws.filter { !$0.isLawful }
        paragraphs += broken.map(\.description)
        return (paragraphs + [verdict]).joined(separator: "\n\n")
    }

    /// The lines of a table: the name of each migration file, followed by a line for each of its steps.
    private var table: [String] {
        var lines = ["Copied \(rehearsal.bytes.sizeText) in \(rehearsal.copying.formattedMilliseconds)."]
        var path = ""
        for step in rehearsal.steps {
            if step.forecast.file.path != path {
                path = step.forecast.file.path
                lines.append(path)
            }
            let took = step.took?.formattedMilliseconds ?? "failed"
            let rows = step.rows.map { "\($0) rows" } ?? ""
            let words = step.wait.map { self.words($0) } ?? "nobody waits"
            let start =
                "    " + "\(step.forecast.step.phase)".padded(to: 10) + took.aligned(to: 12) + rows.aligned(to: 15)
            lines.append("\(start)  \(words)".wrapped(indent: 39))
        }
        return lines + ["Total".padded(to: 14) + total.formattedMilliseconds.aligned(to: 12)]
    }

    private var total: Duration { rehearsal.steps.compactMap(\.took).reduce(.zero, +) }

    private func words(_ wait: MigrationRehearsal.Wait) -> String {
        let length = wait.length.formattedMilliseconds
        guard let lock = wait.lock else { return "pushes to the spaces of a batch wait \(length)" }
        return "\(lock.mode.blocksReads ? "pulls and pushes" : "pushes") wait \(length) for \(lock.table)"
    }

    private func warning(_ step: MigrationRehearsal.Step) -> String? {
        guard let wait = step.wait, let mode = wait.lock?.mode.name, wait.length > MigrationRehearsal.noticeable else {
            return nil
        }
        let limit = SessionSettings.serving.lockTimeout
        let end =
            wait.length > limit
            ? "a server gives them up after \(limit.formattedRoughly)"
            : "more than \(MigrationRehearsal.noticeable.formattedMilliseconds)"
        return "warning: \(step.forecast.name): \(words(wait)) (\(mode)): \(end). ‘syncserver migrate lint’ may know a "
            + "way around."
    }

    private func words(_ left: MigrationOutcome.LeftStep) -> String {
        "Not rehearsed without --contract: \(left.step)."
    }

    private var verdict: String {
        if let failure = rehearsal.failure {
            return "It would not go through, and the database is as it was.\n\(failure.wrappedLines)"
        }
        guard laws.allSatisfy(\.isLawful) else { return "The files would go through, and the plans break laws." }
        if isPartial { return "It would go through. Whether a server would start was not asked, because of --to." }
        let cases = laws.reduce(0) { $0 + $1.cases }
        return "It would go through: verify steps hold, a server would start, and \(cases) cases kept the laws."
    }

    // MARK: For machines

    var json: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("wouldGoThrough", wouldGoThrough)
            writer.member("failure", rehearsal.failure)
            writer.member("bytes", rehearsal.bytes)
            writer.member("copyingMilliseconds", rehearsal.copying.milliseconds)
            writer.member("milliseconds", total.milliseconds)
            writer.member("steps", each: rehearsal.steps) { writer, step in write(step, to: &writer) }
            writer.member("held", rehearsal.left.map { $0.step.description })
            writer.member("unsendable", rehearsal.unsendable.map(\.description))
            writer.member("laws", each: laws) { writer, report in
                writer.beginObject()
                writer.member("app", report.app)
                writer.member("cases", report.cases)
                writer.member("violations", report.violations.map(\.description))
                writer.endObject()
            }
            writer.endObject()
        }
    }

    private func write(_ step: MigrationRehearsal.Step, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("migration", step.forecast.file.path)
        writer.member("step", step.forecast.step.number)
        writer.member("phase", step.forecast.step.phase.rawValue)
        writer.key("milliseconds")
        if let took = step.took { writer.int(took.milliseconds) } else { writer.null() }
        writer.key("rows")
        if let rows = step.rows { writer.int(rows) } else { writer.null() }
        if let wait = step.wait {
            writer.object("wait") { writer in
                writer.member("table", wait.lock.map { "\($0.table)" })
                writer.member("mode", wait.lock?.mode.name)
                writer.member("milliseconds", wait.length.milliseconds)
                writer.member("isLong", warning(step) != nil)
            }
        }
        writer.endObject()
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension String {
    /// Returns the text padded on the left to `width` columns.
    fileprivate func aligned(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}

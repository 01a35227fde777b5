import Operations
import PGMigrations
import PGStore
import StrictJSON
import SyncEngine
import WireFormats

/// `syncserver census`: shows which versions of an app are still in use.
struct CensusCommand {
    static let spec = CommandSpec(
        "census", "Count the devices that use each version of the apps, and say when they last did",
        options: [.app("only this app"), .database, .json], run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let plans = options["app"] == nil ? try Environment.plans() : [try Environment.plan(options)]
        let reports = try await Environment.withSession(options) { session in
            do {
                return try await CensusReport.read(plans, session)
            } catch is CensusUnavailable {
                throw CommandError(
                    "The database has no census as this release keeps it. Run ‘syncserver migrate up’, then serve.")
            }
        }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("apps", each: reports) { writer, report in report.write(to: &writer) }
                    writer.endObject()
                })
        } else {
            Terminal.print(reports.map { $0.text.joined(separator: "\n") }.joined(separator: "\n\n"))
        }
        return 0
    }
}

extension CensusReport {
    /// The lines of the report: a table of at most 100 columns, followed by remarks.
    var text: [String] {
        let title = since.map { "\(plan.app), census since \($0.day)" } ?? "\(plan.app), no census kept yet"
        return [title, CensusReport.heading] + lines.map(row) + remarks.map { "  \($0)".wrapped(indent: 0) }
    }

    private static let heading =
        "  " + "VERSION".padded(to: 27) + columns(["DEVICES", "SUBJECTS", "1 DAY", "7 DAYS", "30 DAYS", "USED 30D"])
        + "  LAST USED   OUTBOX"

    /// Formats the numbers of a row, each aligned on the right under its heading.
    private static func columns(_ cells: [String]) -> String {
        zip([8, 9, 8, 8, 8, 9], cells).map { width, cell in
            String(repeating: " ", count: max(1, width - cell.count)) + cell
        }.joined()
    }

    private func row(_ line: Line) -> String {
        let marks = (line.hasAnonymous ? "*" : "") + (line.isKnown ? "" : "?")
        let seen = [line.day, line.week, line.month.devices, line.used].map { "\($0)" }
        let counts = ["\(line.all.devices)", line.all.subjectsText] + seen
        return "  " + (line.version + marks).padded(to: 27) + CensusReport.columns(counts) + "  "
            + (line.last?.day ?? "never").padded(to: 12)
            + (line.outboxAge.map { Duration.seconds($0).roughText } ?? "-")
    }

    private var remarks: [String] {
        var remarks: [String] = []
        if lines.contains(where: \.hasAnonymous) {
            remarks.append("* Requests without Device-Id, counted as one device.")
        }
        if lines.contains(where: { !$0.isKnown }) { remarks.append("? The plan has no such version any more.") }
        if lines.contains(where: { $0.all.unattributed > 0 }) {
            remarks.append("+ Behind some of the devices stands nobody who is known: they may be more.")
        }
        if let floor {
            remarks.append(
                "Nobody has used a version below \(floor) for 30 days: a contract migration may require "
                    + "‘census(<\(floor))=0 for 30d’.")
        } else if let watched, watched.adding(CensusReport.idle) > now {
            remarks.append(
                "Which versions nobody has used for 30 days can be told from "
                    + "\(watched.adding(CensusReport.idle).day) on.")
        }
        return remarks
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("app", plan.app)
        write("since", since, to: &writer)
        writer.member("unusedBelow", floor?.description)
        writer.member("versions", each: lines) { writer, line in
            writer.beginObject()
            writer.member("version", line.version)
            writer.member("known", line.isKnown)
            for (name, count) in [
                ("devices", line.all.devices), ("subjects", line.all.subjects),
                ("withoutSubject", line.all.unattributed), ("seenInDay", line.day), ("seenIn7Days", line.week),
                ("seenIn30Days", line.month.devices), ("usedIn30Days", line.used),
            ] {
                writer.key(name)
                writer.int(count)
            }
            write("firstUsed", line.first, to: &writer)
            write("lastUsed", line.last, to: &writer)
            if let age = line.outboxAge {
                writer.member("outboxAgeSeconds", age)
            }
            writer.member("withoutDeviceID", line.hasAnonymous)
            writer.endObject()
        }
        writer.endObject()
    }

    private func write(_ name: String, _ time: Timestamp?, to writer: inout JSONWriter) {
        guard let time else { return }
        writer.key(name)
        writer.timestamp(time)
    }
}

import Operations
import PGMigrations
import PGStore
import StrictJSON
import SyncEngine
import SyncServer
import WireFormats

/// The output of a change in quarantine, as text and JSON. Only `description` and `writeWhole` show the values that the
/// user wrote.
extension QuarantinedChange {
    private static let widths = [7, 6, 8, 8, 22, 10, 10]
    private static let entityMax = 20

    static let heading = row(["ID", "AGE", "VERSION", "OP", "ENTITY", "RECORD", "DEVICE"], "ERROR")

    /// Returns a line of the list of changes, at most 100 columns wide. Ids are shortened to their first characters.
    func line(at now: Timestamp) -> String {
        QuarantinedChange.row(
            [
                "\(id)", age(at: now), content.version, content.operation,
                content.entity.count > QuarantinedChange.entityMax
                    ? "\(content.entity.prefix(QuarantinedChange.entityMax - 1))…" : content.entity,
                String(printableRecord.prefix(8)), content.device.map(QuarantinedChange.beginning) ?? "-",
            ], reason.code)
    }

    /// The text that identifies the change when the user is asked to confirm that it is dropped.
    var name: String {
        "\(id) \(content.operation) \(content.entity) \(printableRecord)"
    }

    /// The record's id exactly as the device sent it.
    var recordText: String {
        guard TextKey.isMade(content.record) else { return "\(content.record)" }
        return (try? JSONDocument(parsing: content.bytes))?.root["id"]?.string ?? "\(content.record)"
    }

    /// The record's id for output on one line. Control characters are replaced, because they could control the
    /// terminal.
    private var printableRecord: String {
        String(
            String.UnicodeScalarView(
                recordText.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }

    private static func row(_ cells: [String], _ last: String) -> String {
        zip(cells, widths).map { $0.padded(to: $1 - 1) + " " }.joined() + last
    }

    private static func beginning(of id: ID) -> String { String(id.description.prefix(8)) }

    private func age(at now: Timestamp) -> String {
        now.since(heldAt).roughText
    }

    func description(at now: Timestamp) -> [String] {
        let facts = [
            ("app", app), ("space", "\(space)"), ("entity", content.entity), ("record", printableRecord),
            ("operation", content.operation), ("version", "\(content.version);fp=\(content.fingerprint)"),
            ("device", content.device.map { "\($0)" } ?? "none"), ("stamp", "\(content.stamp.rawValue)"),
            ("held", "\(heldAt), \(age(at: now)) ago"), ("tried", "\(triedAt), \(attempts) times"),
            ("error", "\(reason.code): \(reason.detail)"),
        ]
        return facts.map { ($0.0.padded(to: 10) + $0.1).wrapped(indent: 10) } + [
            "", String(decoding: content.bytes, as: UTF8.self),
        ]
    }

    func writeFacts(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    func writeWhole(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.member("detail", reason.detail)
        writer.key("change")
        writer.raw(json: content.bytes.span)
        writer.endObject()
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", id)
        for (name, text) in [
            ("app", app), ("space", "\(space)"), ("entity", content.entity), ("record", recordText),
            ("op", content.operation), ("version", content.version), ("fingerprint", content.fingerprint),
        ] {
            writer.member(name, text)
        }
        if let device = content.device { writer.member("device", "\(device)") }
        writer.member("stamp", content.stamp.rawValue)
        writer.key("heldAt")
        writer.timestamp(heldAt)
        writer.key("triedAt")
        writer.timestamp(triedAt)
        writer.member("attempts", attempts)
        writer.member("code", reason.code)
    }
}

extension SyncEngine.Replayed {
    /// The lines that report the result of replaying the change. They contain the reason if the change stays in
    /// quarantine.
    var description: [String] {
        let head = "\(change.name): \(isDone ? verdict.name : "stays")"
        return reason.map { [head, "  \($0.code): \($0.detail)".wrapped(indent: 2)] } ?? [head]
    }

    private var reason: QuarantinedChange.Reason? {
        switch verdict {
        case .held(let holding): holding.reason
        case .rejected(let rejection): QuarantineReason(rejection).reason
        case .applied, .merged, .superseded, .unchanged: nil
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", change.id)
        writer.member("verdict", verdict.name)
        writer.member("done", isDone)
        if let reason {
            writer.member("code", reason.code)
            writer.member("detail", reason.detail)
        }
        writer.endObject()
    }
}

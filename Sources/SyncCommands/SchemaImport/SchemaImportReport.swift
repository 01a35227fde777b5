import PGMigrations
import SchemaImport
import StrictJSON
import WireFormats

/// The output of `schema import`, as text or as JSON.
struct SchemaImportReport {
    private let result: ImportResult
    private let request: ImportRequest
    private let directory: String
    private let isWritten: Bool
    /// The name of the plan to which versions were added; `nil` if the plan is new.
    private let plan: String?
    private let frozen: [(version: Schema.Version, fingerprint: String)]

    init(
        _ result: ImportResult, _ request: ImportRequest, directory: String, isWritten: Bool, plan: String? = nil,
        frozen: [(version: Schema.Version, fingerprint: String)] = []
    ) {
        self.result = result
        self.request = request
        self.directory = directory
        self.isWritten = isWritten
        self.plan = plan
        self.frozen = frozen
    }

    var text: String {
        findings + (isWritten ? "\n\nNext: build it, and ‘syncserver schema check --app \(request.app)’." : "")
    }

    /// The findings as text: the imported versions, the files written, the differences, and the open questions.
    var findings: String {
        var lines = ["\(request.app): \(headline)"]
        for version in result.versions {
            lines.append(
                "  \("\(version.schema.version)".padded(to: 9))\(version.schema.fingerprint)  "
                    + SchemaImportReport.models(version.schema.entities.count)
                    + "\(version.isVariant ? ", another shape" : "")"
                    + (version.isNew ? "" : ", as it was"))
        }
        lines += result.files.map { "  \(isWritten ? "wrote" : "would write") \(directory)/\($0.name)" }
        if let plan, !result.additions.isEmpty {
            lines.append("  \(isWritten ? "added to" : "would add to") \(plan): ‘schemas’ and ‘stages’")
        }
        if !result.drifts.isEmpty { lines += [""] + driftLines }
        if !result.questions.isEmpty {
            let groups = QuestionGroup.groups(of: result.questions)
            let kinds =
                groups.count < result.questions.count
                ? " of \(groups.count == 1 ? "one kind" : "\(groups.count) kinds")" : ""
            lines += [
                "",
                ("\(result.questions.count) to decide\(kinds); ‘schema check’ fails until it is done. Each stands in "
                    + "its version's file as ‘Undecided’, or is listed by the check:").wrapped(indent: 0),
            ]
            lines += groups.flatMap(\.lines)
            if isWritten, frozen.isEmpty,
                result.questions.contains(where: { $0.choices.contains(where: \.namesOption) })
            {
                lines += [
                    "",
                    ("What begins with ‘--’ is an option: import once more with it and ‘--anew’, by the package's own "
                        + "program where there is one. That writes all files of the plan once more, so give these "
                        + "answers before those that you write by hand.").wrapped(indent: 0),
                ]
            }
        }
        if !result.notes.isEmpty {
            lines += ["", "Also:"] + NoteGroup.printed(result.notes).map { "  \($0)".wrapped() }
        }
        return lines.joined(separator: "\n")
    }

    private static func models(_ count: Int) -> String { count == 1 ? "1 model" : "\(count) models" }

    private var headline: String {
        let count = result.versions.count(where: \.isNew)
        if count > 0 { return "\(count) version\(count == 1 ? "" : "s") \(isWritten ? "imported" : "found")" }
        return result.drifts.isEmpty ? "nothing new" : "nothing was written"
    }

    private var driftLines: [String] {
        let published = result.versions.filter { version in
            frozen.contains { $0.version == version.schema.version }
                && result.drifts.contains { $0.version == version.schema.version }
        }
        let advice =
            published.isEmpty
            ? "They are not published yet: correct the version's file by hand, give what changed a number of its own, "
                + "or import all of it once more with ‘--anew’."
            : "Published versions never change (\(published.map { "\($0.schema.version)" }.joined(separator: ", "))): "
                + "undo the edit in the sources, or give what changed a number of its own. If both shapes were shipped "
                + "under the number, declare the other as a ‘HistoricalVariant’."
        var history = ""
        if case .none = request.history {
            history =
                " Where the plan was made with ‘--git’ or ‘--commits’, say so here, too: the files as they are do not "
                + "tell what an older version was."
        }
        return [
            "Versions that the plan has are not what the sources say. Nothing was written. \(advice)\(history)"
                .wrapped()
        ]
            + result.drifts.map { "  - \($0)".wrapped() }
    }

    var json: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("app", request.app)
            writer.member("written", isWritten)
            writer.member("directory", directory)
            writer.member("files", each: result.files) { writer, file in
                writer.beginObject()
                writer.member("name", file.name)
                writer.member("text", file.text)
                writer.endObject()
            }
            writeFindings(to: &writer)
            writer.endObject()
        }
    }

    /// Writes the findings as members of the current JSON object: the imported versions, the differences, and the open
    /// questions.
    func writeFindings(to writer: inout JSONWriter) {
        writer.member("versions", each: result.versions) { writer, version in
            writer.beginObject()
            writer.member("version", "\(version.schema.version)")
            writer.member("fingerprint", version.schema.fingerprint)
            writer.member("new", version.isNew)
            writer.member("variant", version.isVariant)
            writer.endObject()
        }
        writer.member("decisions", each: result.questions) { SchemaImportReport.write($1, to: &$0) }
        writer.member("drifts", each: result.drifts) { $0.drift($1) }
        writer.member("notes", result.notes)
    }

    private static func write(_ question: Question, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", question.code.rawValue)
        writer.member("subject", question.subject)
        writer.member("version", question.version.map { "\($0)" })
        writer.member("place", question.place)
        writer.member("question", question.text)
        writer.member("choices", each: question.choices) { writer, choice in
            writer.beginObject()
            writer.member("statement", choice.statement)
            writer.member("effect", choice.effect)
            writer.member("needs", choice.needs)
            writer.endObject()
        }
        writer.endObject()
    }
}

import SchemaImport
import StrictJSON

/// The output of `init`: the new package, the open questions, and the next steps.
struct InitReport {
    /// The versions that were imported from the app's sources, and the request for them.
    struct Import {
        let request: ImportRequest
        let result: ImportResult
    }

    let template: PackageTemplate
    /// The path of the new package's folder, as the user typed it.
    let folder: String
    let imported: Import?
    let isBuilt: Bool

    private var program: String { template.name.program }

    /// The text about the versions that were imported from the sources, and about the open questions; `nil` if no
    /// sources were given.
    var findings: String? { imported.map { importReport($0).findings } }

    /// The whole report as text. It begins with the findings of the import, unless they were printed already before a
    /// build.
    var text: String {
        var lines: [String] = []
        if let findings, !isBuilt { lines += [findings, ""] }
        lines += ["\(template.name.type) is in \(folder). Next:", "", "  cd \(folder)"]
        func add(_ command: String, _ effect: String) {
            lines.append("  \(command.padded(to: 40))\(command.count < 40 ? "" : " ")# \(effect)")
        }
        if !isBuilt { add("script/setup", "what a build needs of Debian") }
        if !template.isDecided {
            add("swift run \(program) schema check", "says what is to decide still")
        }
        if !isBuilt || !template.isDecided { add("swift run \(program) \(template.drafting)", "the tables") }
        add("swift test", "every version, conversions, migrations")
        add("swift run \(program) serve --demo", "serves it, with a PostgreSQL of its own")
        if imported == nil {
            lines += ["", "Then replace the example in Sources/\(template.name.type)/SchemaV1.swift by your models."]
        }
        return lines.joined(separator: "\n")
    }

    var json: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("app", template.name.app)
            writer.member("directory", folder)
            writer.member("files", template.files.map(\.path))
            writer.member("isBuilt", isBuilt)
            if let imported { importReport(imported).writeFindings(to: &writer) }
            writer.endObject()
        }
    }

    private func importReport(_ imported: Import) -> SchemaImportReport {
        SchemaImportReport(
            imported.result, imported.request, directory: "\(folder)/Sources/\(template.name.type)", isWritten: true)
    }
}

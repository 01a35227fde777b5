import WireFormats

/// The texts of two files: one declares the migration plan, the other the namespace of the plan's versions.
struct PlanFile {
    let namespaceText: String
    let text: String

    /// Creates the text of the plan's file and that of the namespace's file.
    ///
    /// - Parameters:
    ///   - stages: the elements of the plan's list of stages, as indented code without commas.
    ///   - variants: the elements of the plan's list of variants, in the same form. A variant is another shape that was
    ///     shipped under a version's number.
    init(
        app: String, namespace: String, isPublic: Bool, versions: [VersionFile], stages: [String], variants: [String]
    ) {
        let access = isPublic ? "public " : ""
        let first = versions.first.map { "\($0.schema.version)" } ?? ""
        let last = versions.last.map { "\($0.schema.version)" } ?? ""
        let range = first == last ? first : "\(first) to \(last)"
        namespaceText = """
            /// The versions of ‘\(app)’, imported from the app's own sources.
            \(access)enum \(namespace) {}

            """
        var lines = [
            "\(access)import WireFormats", "", "/// The life of the models of ‘\(app)’, \(range).",
            "\(access)enum \(namespace)Plan: SchemaMigrationPlan {",
            "    \(access)static let app = \(Code.literal(app))", "",
            "    \(access)static let schemas: [any VersionedSchema.Type] = [",
        ]
        lines +=
            PlanFile.filled(versions.map { "\($0.name.path).self\(versions.count == 1 ? "" : ",")" }) + ["    ]", ""]
        lines += PlanFile.list("\(access)static let stages: [MigrationStage]", stages)
        if !variants.isEmpty {
            lines += [""] + PlanFile.list("\(access)static let historicalVariants: [HistoricalVariant]", variants)
        }
        text = (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func list(_ head: String, _ elements: [String]) -> [String] {
        if elements.isEmpty { return ["    \(head) = []"] }
        return ["    \(head) = ["] + (elements.count == 1 ? elements : elements.map { "\($0)," }) + ["    ]"]
    }

    private static func filled(_ elements: [String]) -> [String] {
        var lines: [String] = []
        for element in elements {
            if let last = lines.last, last.count + element.count < Code.columnsMax {
                lines[lines.count - 1] += " \(element)"
            } else {
                lines.append("        \(element)")
            }
        }
        return lines
    }
}

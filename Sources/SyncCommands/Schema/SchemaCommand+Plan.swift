import PGMigrations
import StrictJSON
import WireFormats

extension SchemaCommand {
    static func plan(_ options: Options) throws -> Int32 {
        let plan = try appsPlan(options)
        let (from, to) = try versions(options, of: plan)
        let stages = try stages(from: from, to: to, of: plan).map { StageExplanation(plan, stage: $0) }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("app", plan.app)
                    writer.member("stages", each: stages, write)
                    writer.endObject()
                })
        } else {
            Terminal.print(stages.map { text($0, app: plan.app) }.joined(separator: "\n\n"))
        }
        return 0
    }

    /// Returns the indices of the stages that lead from one version to a later one. For a variant (a second schema that
    /// was shipped under a version's number), this is the single stage from the version to the variant.
    private static func stages(from: Int, to: Int, of plan: Plan) throws(UsageError) -> [Int] {
        if plan.isVariant(to), from == plan.version(of: to) { return [to - 1] }
        guard from < to, !plan.isVariant(to) else {
            throw UsageError(
                "‘schema plan’ leads from an older version to a newer one, or from a version to a variant of it; name "
                    + "the one it leads from first. For two others there is ‘schema diff’.")
        }
        return Array(from..<to)
    }

    private static func text(_ stage: StageExplanation, app: String) -> String {
        var lines = ["\(app) \(stage.from) → \(stage.to), \(stage.isCustom ? "custom" : "lightweight")"]
        for entity in stage.entities {
            lines += ["", heading(entity.before, entity.after) + fate(of: entity)]
            for operation in entity.operations {
                lines.append("    \(operation.summary) [\(operation.fidelity)]".wrapped())
                guard let consequence = operation.consequence else { continue }
                lines.append("        \(range(entity.olderVersions)) \(consequence)".wrapped(indent: 2))
            }
            if entity.unchanged > 0 { lines.append("    \(entity.unchanged) unchanged") }
        }
        if stage.entities.isEmpty { lines.append("  nothing that travels changes") }
        if !stage.hub.isEmpty { lines += ["", "  The tables get"] + stage.hub.map { "    \($0)".wrapped() } }
        return lines.joined(separator: "\n")
    }

    private static func fate(of entity: StageExplanation.Entity) -> String {
        switch (entity.before, entity.after) {
        case (nil, _): "  (older versions do not see it)"
        case (_, nil): "  (\(range(entity.olderVersions)) keep it)"
        case (let before?, let after?): before == after ? "" : "  (\(range(entity.olderVersions)) keep their name)"
        }
    }

    /// Returns a range of versions as text, such as `0.0.1 to 0.0.7`.
    static func range(_ versions: [some Equatable & CustomStringConvertible]) -> String {
        guard let first = versions.first, let last = versions.last else { return "no version" }
        return first == last ? "\(first)" : "\(first) to \(last)"
    }

    private static func write(_ writer: inout JSONWriter, _ stage: StageExplanation) {
        writer.beginObject()
        writer.member("from", "\(stage.from)")
        writer.member("to", "\(stage.to)")
        writer.member("kind", stage.isCustom ? "custom" : "lightweight")
        writer.member("entities", each: stage.entities) { writer, entity in
            writer.beginObject()
            writer.member("before", entity.before)
            writer.member("after", entity.after)
            writer.member("olderVersions", entity.olderVersions.map(\.description))
            writer.member("operations", each: entity.operations, write)
            writer.member("unchanged", entity.unchanged)
            writer.endObject()
        }
        writer.member("tables", stage.hub.map(\.description))
        writer.endObject()
    }

    static func write(_ writer: inout JSONWriter, _ operation: StageExplanation.Operation) {
        writer.beginObject()
        writer.member("summary", operation.summary)
        writer.member("before", operation.before)
        writer.member("after", operation.after)
        writer.member("fidelity", "\(operation.fidelity)")
        writer.member("olderVersionsWill", operation.consequence)
        writer.endObject()
    }
}

import WireFormats

extension SchemaCommand {
    static func list(_ options: Options) throws -> Int32 {
        guard options.positional.isEmpty else { throw UsageError(usage) }
        let plans = try declarations(options).map { try Plan($0) }
        if options.has("json") {
            Terminal.print(JSONWriter.text { write(plans, to: &$0) })
        } else {
            Terminal.print(plans.map(text).joined(separator: "\n\n"))
        }
        return 0
    }

    private static func text(_ plan: Plan) -> String {
        let rows = plan.schemas.enumerated().map { place, schema in
            let synced = schema.entities.count { $0.scope == .synced }
            let fields = schema.entities.filter { $0.scope == .synced }.reduce(0) { $0 + $1.fields.count }
            let local = schema.entities.count - synced
            let counts =
                "\(synced) entities".padded(to: 13) + "\(fields) fields".padded(to: 12)
                + (local == 0 ? "" : "\(local) local").padded(to: 9)
            let stage = place == 0 ? "" : StageExplanation(plan, stage: place - 1).isCustom ? "custom" : "lightweight"
            let ending = plan.baseline == place ? stage.padded(to: 13) + "where none is named" : stage
            let row = "  \(schema.version)".padded(to: 11) + "\(schema.fingerprint)  \(counts)\(ending)"
            return row.reversed().drop { $0 == " " }.reversed().map(String.init).joined()
        }
        return (["\(plan.app)"] + rows).joined(separator: "\n")
    }

    private static func write(_ plans: [Plan], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("apps", each: plans) { writer, plan in
            writer.beginObject()
            writer.member("app", plan.app)
            writer.member("baseline", plan.baseline.map { plan.schemas[$0].version.description })
            writer.member("versions", each: plan.schemas.indices) { writer, place in
                let schema = plan.schemas[place]
                writer.beginObject()
                writer.member("version", "\(schema.version)")
                writer.member("fingerprint", schema.fingerprint)
                if place > 0 {
                    let isCustom = StageExplanation(plan, stage: place - 1).isCustom
                    writer.member("stage", isCustom ? "custom" : "lightweight")
                }
                writer.member("entities", schema.entities.filter { $0.scope == .synced }.map(\.name))
                writer.member("local", schema.entities.filter { $0.scope == .local }.map(\.name))
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endObject()
    }
}

import StrictJSON
import WireFormats

extension SchemaCommand {
    static func list(_ options: Options) throws -> Int32 {
        let plans = try declarations(options).map { try Plan($0) }
        if options.has("json") {
            Terminal.print(JSONWriter.text { write(plans, to: &$0) })
        } else {
            Terminal.print(plans.map(text).joined(separator: "\n\n"))
        }
        return 0
    }

    private static func text(_ plan: Plan) -> String {
        let rows = plan.shapes.enumerated().map { index, schema in
            let synced = schema.entities.count { $0.scope == .synced }
            let fields = schema.entities.filter { $0.scope == .synced }.reduce(0) { $0 + $1.fields.count }
            let local = schema.entities.count - synced
            let counts =
                "\(synced) entities".padded(to: 13) + "\(fields) fields".padded(to: 12)
                + (local == 0 ? "" : "\(local) local").padded(to: 9)
            if plan.isVariant(index) { return row(schema, "\(counts)also shipped as \(schema.version)") }
            let stage = index == 0 ? "" : plan.isCustom(stage: index - 1) ? "custom" : "lightweight"
            let ending = plan.baseline == index ? stage.padded(to: 13) + "where none is named" : stage
            return row(schema, counts + ending)
        }
        return (["\(plan.app)"] + rows).joined(separator: "\n")
    }

    private static func row(_ schema: Schema, _ what: String) -> String {
        let row = "  \(schema.version)".padded(to: 11) + "\(schema.fingerprint)  \(what)"
        return row.reversed().drop { $0 == " " }.reversed().map(String.init).joined()
    }

    private static func write(_ plans: [Plan], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("apps", each: plans) { writer, plan in
            writer.beginObject()
            writer.member("app", plan.app)
            writer.member("baseline", plan.baseline.map { plan.schemas[$0].version.description })
            writer.member("versions", each: plan.shapes.indices) { writer, index in
                let schema = plan.shapes[index]
                writer.beginObject()
                writer.member("version", "\(schema.version)")
                writer.member("fingerprint", schema.fingerprint)
                if plan.isVariant(index) {
                    writer.member("variantOf", plan.schemas[plan.version(of: index)].fingerprint)
                }
                if index > 0 {
                    let isCustom = plan.isCustom(stage: index - 1)
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

import PGMigrations
import WireFormats

extension SchemaCommand {
    static func show(_ options: Options) throws -> Int32 {
        let plan = try appsPlan(options)
        let schema = plan.shapes[try version(options.positional[0], of: plan)]
        if options.has("json") {
            Terminal.print(String(schema.json.dropLast()))
        } else {
            Terminal.print(text(schema, app: plan.app))
        }
        return 0
    }

    private static func text(_ schema: Schema, app: String) -> String {
        let blocks = schema.entities.map { entity in
            var head = entity.name
            if let name = entity.originalName { head += ", before: \(name)" }
            if entity.multiplicity == .singleton { head += ", one in each space" }
            if entity.scope == .local { head += ", on the device only" }
            return ([head] + entity.members.map { "  \($0)".wrapped() }).joined(separator: "\n")
        }
        return (["\(app) \(schema.version), fingerprint \(schema.fingerprint)"] + blocks).joined(separator: "\n\n")
    }
}

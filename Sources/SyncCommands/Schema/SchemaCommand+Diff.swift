import PGMigrations
import StrictJSON
import WireFormats

extension SchemaCommand {
    static func diff(_ options: Options) throws -> Int32 {
        let plan = try appsPlan(options)
        let (from, to) = try versions(options, of: plan)
        let difference = SchemaDifference(plan, from: from, to: to)
        if options.has("json") {
            Terminal.print(JSONWriter.text { write(difference, to: &$0) })
        } else {
            Terminal.print(text(difference, app: plan.app))
        }
        return 0
    }

    private static func text(_ difference: SchemaDifference, app: String) -> String {
        let title = "\(app) \(difference.from) → \(difference.to)"
        guard !difference.entities.isEmpty else { return "\(title): no difference" }
        let blocks = difference.entities.map { entity in
            let scope = entity.scope == .local ? ", on the device only" : ""
            let members = entity.members.flatMap { ["  \(text($0))".wrapped()] + deleteRules(of: $0) }
            return ([heading(entity.before, entity.after) + scope] + members).joined(separator: "\n")
        }
        return ([title] + blocks).joined(separator: "\n\n")
    }

    /// Returns the heading above an entity's differences. An added entity is `+ SDWorkout`, a removed one
    /// `- SDOutboxEvent`, a renamed one `  SDMeal → SDMealV11`.
    static func heading(_ before: String?, _ after: String?) -> String {
        switch (before, after) {
        case (let before?, let after?): before == after ? "  \(after)" : "  \(before) → \(after)"
        case (nil, let after?): "+ \(after)"
        case (let before?, nil): "- \(before)"
        case (nil, nil): ""
        }
    }

    private static func text(_ member: SchemaDifference.Member) -> String {
        let (before, after) = (member.before, member.after)
        let (older, newer) = (
            before.map(\.description).joined(separator: "; "), after.map(\.description).joined(separator: "; ")
        )
        return before.isEmpty ? "  + \(newer)" : after.isEmpty ? "  - \(older)" : "  ~ \(older) → \(newer)"
    }

    private static func deleteRules(of member: SchemaDifference.Member) -> [String] {
        guard let newest = member.deleteRules.last?.versions.last else { return [] }
        let spans = member.deleteRules.map { "\($0.rule.rawValue) in \(range($0.versions))" }
        return [
            "      when a record goes: on the device, \(spans.joined(separator: ", "));".wrapped(),
            "      on the server, whoever deletes, as \(newest) says",
        ]
    }

    private static func write(_ difference: SchemaDifference, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("from", "\(difference.from)")
        writer.member("to", "\(difference.to)")
        writer.member("entities", each: difference.entities) { writer, entity in
            writer.beginObject()
            writer.member("before", entity.before)
            writer.member("after", entity.after)
            writer.member("scope", entity.scope.rawValue)
            writer.member("members", each: entity.members) { writer, member in
                writer.beginObject()
                writer.member("before", each: member.before, write)
                writer.member("after", each: member.after, write)
                if !member.deleteRules.isEmpty {
                    writer.member("deleteRules", each: member.deleteRules) { writer, span in
                        writer.beginObject()
                        writer.member("rule", span.rule.rawValue)
                        writer.member("versions", span.versions.map(\.description))
                        writer.endObject()
                    }
                }
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endObject()
    }

    static func write(_ writer: inout JSONWriter, _ member: SchemaMember) {
        writer.beginObject()
        writer.member("name", member.name)
        writer.member("type", member.type)
        writer.member("default", member.default)
        writer.member("scope", member.scope.rawValue)
        writer.endObject()
    }
}

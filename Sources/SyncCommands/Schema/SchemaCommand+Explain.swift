import PGMigrations
import StrictJSON
import WireFormats

extension SchemaCommand {
    static func explain(_ options: Options) throws -> Int32 {
        let plan = try appsPlan(options)
        let path = options.positional[0].split(separator: ".", maxSplits: 1).map(String.init)
        guard let name = path.first else { throw UsageError("Name an entity, or one of its attributes.") }
        guard let history = EntityHistory(plan, named: name) else {
            throw CommandError(absence(of: name, in: plan.shapes.compactMap { $0.entity(name) }, plan.app))
        }
        let attributes = path.count == 2 ? history.attributes(named: path[1]) : history.attributes
        if path.count == 2, attributes.isEmpty {
            throw CommandError("No version of ‘\(name)’ syncs an attribute ‘\(path[1])’.")
        }
        if options.has("json") {
            Terminal.print(JSONWriter.text { write(history, attributes, to: &$0) })
        } else {
            Terminal.print((head(history) + attributes.flatMap(lines)).joined(separator: "\n"))
        }
        return 0
    }

    private static func absence(of name: String, in entities: [Schema.Entity], _ app: String) -> String {
        entities.isEmpty
            ? "No version of ‘\(app)’ has an entity ‘\(name)’."
            : "‘\(name)’ stays on the device in every version of ‘\(app)’ that has it: the server never sees it."
    }

    private static func head(_ history: EntityHistory) -> [String] {
        var lines = [
            "\(history.identity), table \(history.table)\(history.isSingleton ? ", one record in each space" : "")"
        ]
        for run in runs(zip(history.shapes, history.names).map { ($0, $1 ?? "–") }) {
            lines.append("  \(range(run.shapes))  ".padded(to: 20) + run.value)
        }
        return lines
    }

    private static func lines(_ attribute: AttributeHistory) -> [String] {
        let columns = attribute.columns.map {
            "\($0.name): \($0.type.rawValue)\($0.isNullable ? "" : " NOT NULL")"
        }
        var lines = ["", "\(columns.count == 1 ? "column" : "columns") \(columns.joined(separator: "; "))".wrapped()]
        let texts = attribute.moments.map { moment in
            moment.fields.map { field in
                let source = attribute.columns.count > 1 || field.isComputed ? " ← \(field.column)" : ""
                return "\(field.member)\(source)\(field.isComputed ? ", computed" : "")"
            }.joined(separator: "; ")
        }
        for run in runs(zip(attribute.moments, texts).map { ($0.shape, $1.isEmpty ? "–" : $1) }) {
            lines.append(("  \(range(run.shapes))  ".padded(to: 20) + run.value).wrapped(indent: 18))
        }
        for step in attribute.steps where attribute.columns.count > 1 || step.operation.fidelity == .lossy {
            lines.append("  at \(step.to): \(step.operation.summary) [\(step.operation.fidelity)]".wrapped())
        }
        return lines
    }

    /// Groups consecutive versions that have the same value, such as an entity's name. A variant (another schema with a
    /// version's number) belongs to none of these groups. It gets a group of its own if its value differs from that of
    /// the version.
    private static func runs(
        _ moments: [(shape: ShapeName, value: String)]
    ) -> [(shapes: [ShapeName], value: String)] {
        var runs: [(shapes: [ShapeName], value: String)] = []
        for moment in moments {
            if moment.shape.fingerprint != nil {
                let canonical = moments.first { $0.shape.version == moment.shape.version }
                if canonical?.value != moment.value { runs.append(([moment.shape], moment.value)) }
            } else if let last = runs.last, last.value == moment.value {
                runs[runs.count - 1].shapes.append(moment.shape)
            } else {
                runs.append(([moment.shape], moment.value))
            }
        }
        return runs
    }

    private static func write(
        _ history: EntityHistory, _ attributes: [AttributeHistory], to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("entity", history.identity)
        writer.member("table", history.table)
        writer.member("names", each: history.names.indices.filter { history.names[$0] != nil }) { writer, index in
            writer.beginObject()
            writer.member("version", "\(history.shapes[index])")
            writer.member("name", history.names[index])
            writer.endObject()
        }
        writer.member("attributes", each: attributes, write)
        writer.endObject()
    }

    private static func write(_ writer: inout JSONWriter, _ attribute: AttributeHistory) {
        writer.beginObject()
        writer.member("columns", each: attribute.columns) { writer, column in
            writer.beginObject()
            writer.member("name", column.name)
            writer.member("type", column.type.rawValue)
            writer.member("nullable", column.isNullable)
            writer.endObject()
        }
        writer.member("versions", each: attribute.moments.filter { !$0.fields.isEmpty }) { writer, moment in
            writer.beginObject()
            writer.member("version", "\(moment.shape)")
            writer.member("fields", each: moment.fields) { writer, field in
                writer.beginObject()
                writer.member("column", field.column)
                writer.member("computed", field.isComputed)
                writer.key("declared")
                write(&writer, field.member)
                writer.endObject()
            }
            writer.endObject()
        }
        writer.member("stages", each: attribute.steps) { writer, step in
            writer.beginObject()
            writer.member("from", "\(step.from)")
            writer.member("to", "\(step.to)")
            writer.key("operation")
            write(&writer, step.operation)
            writer.endObject()
        }
        writer.endObject()
    }
}

package import StrictJSON
import SyncEngine
package import WireFormats

/// The JSON Schema (draft 2020-12) of a push in one schema version. It describes the bodies that the server accepts, as
/// far as a JSON Schema can.
///
/// A JSON Schema cannot express four rules. An id repeated among a change's fields must be the change's id. A day must
/// exist in its year (29 February). An integer must be written without fraction and exponent. The stamp of an increment
/// must not be null.
///
/// The JSON Schema is stricter than the server on input that a client need not send: other members of the body, changes
/// written in another version, counters in whole records, leap seconds, decimals of more than a thousand characters.
package struct ChangesetSchema {
    private let plan: Plan
    /// The described version, as an index in `plan.shapes`.
    private let version: Int
    private let projections: [Projection]

    /// Describes all entities of a version, or one.
    ///
    /// - Parameter entity: the only entity to describe; nil for all. The initializer returns `nil` if the version syncs
    ///   no such entity.
    package init?(_ plan: Plan, version: Int, entity: String? = nil) {
        self.plan = plan
        self.version = version
        projections = plan.projections[version].compactMap { $0 }.filter { entity == nil || $0.name == entity }
        if entity != nil, projections.isEmpty { return nil }
    }

    package func write(to writer: inout JSONWriter) {
        let schema = plan.shapes[version]
        writer.beginObject()
        writer.member("$schema", "https://json-schema.org/draft/2020-12/schema")
        writer.member("title", "Changes of \(plan.app) \(plan.name(of: version))")
        writer.member("$comment", "Fingerprint \(schema.fingerprint)")
        writer.member("type", "object")
        writer.object("properties") { writer in
            writer.object(BodyMember.changes) { writer in
                writer.member("type", "array")
                writer.member("maxItems", SyncEngine.changesMax)
                writer.object("items") { alternatives(&$0) }
            }
            writer.object(BodyMember.cursor) { $0.member("type", ["string", "null"]) }
            writer.object(BodyMember.intent) { writer in
                writer.key("enum")
                writer.beginArray()
                writer.string(PushIntent.massDeletion.description)
                writer.null()
                writer.endArray()
            }
            writer.object(BodyMember.stamps) { $0.member("type", ["boolean", "null"]) }
            writer.object(BodyMember.limit) { writer in
                writer.member("type", ["integer", "null"])
                writer.member("minimum", 1)
                // A larger number means the page's maximum; but an integer beyond 64 bits is not accepted as JSON here.
                writer.member("maximum", Int64.max)
            }
        }
        writer.member("required", [BodyMember.changes.description])
        writer.closed()
        writer.object("$defs") { definitions(&$0) }
        writer.endObject()
    }

    private func alternatives(_ writer: inout JSONWriter) {
        let names = projections.flatMap { projection in
            Change.Operation.allCases.map { "\(projection.name).\($0.rawValue)" }
        }
        writer.member("oneOf", each: names) { writer, name in
            writer.beginObject()
            writer.reference(name)
            writer.endObject()
        }
    }

    private func definitions(_ writer: inout JSONWriter) {
        ValueSchema.writeDefinitions(to: &writer)
        writer.object(BodyMember.stamp) { writer in
            writer.member("type", ["integer", "null"])
            writer.member("minimum", 1)
            writer.member("maximum", (1 << 53) - 1)
        }
        writer.object(BodyMember.version) { writer in
            writer.key("enum")
            writer.beginArray()
            writer.string("\(plan.name(of: version))")
            writer.null()
            writer.endArray()
        }
        for projection in projections {
            writer.object("\(projection.name).fields") { fields(projection, &$0) }
            for operation in Change.Operation.allCases {
                writer.object("\(projection.name).\(operation.rawValue)") { change(projection, operation, &$0) }
            }
        }
    }

    private func fields(_ projection: Projection, _ writer: inout JSONWriter) {
        writer.member("type", "object")
        writer.object("properties") { writer in
            if let identity = projection.identity {
                writer.object(identity) { writer in
                    writer.member("$comment", "The same as the change's id")
                    writer.reference(projection.identityType == .string ? "ID" : "UUID")
                }
            }
            for field in projection.fields {
                writer.object(field.name) { writer in
                    let policy = policy(of: field, projection)
                    if policy != .latest { writer.member("$comment", "Merged by \(policy.rawValue)") }
                    ValueSchema.write(field, to: &writer)
                }
            }
        }
        writer.closed()
    }

    private func change(_ projection: Projection, _ operation: Change.Operation, _ writer: inout JSONWriter) {
        let counters = projection.fields.filter { policy(of: $0, projection) == .counter }
        let needed = operation == .create ? projection.fields.filter { !$0.isOmissible }.map(\.name) : []
        writer.member("type", "object")
        writer.object("properties") { writer in
            writer.object(BodyMember.entity) { $0.member("const", projection.name) }
            writer.object(BodyMember.id) { id(projection, &$0) }
            writer.object(BodyMember.operation) { $0.member("const", operation.rawValue) }
            writer.object(BodyMember.stamp) { $0.reference("stamp") }
            writer.object(BodyMember.version) { $0.reference("version") }
            writer.object(BodyMember.fields) { writer in
                if operation == .delete {
                    writer.member("type", ["object", "null"])
                    writer.member("maxProperties", 0)
                } else if needed.isEmpty {
                    ValueSchema.orNull(to: &writer) { $0.reference("\(projection.name).fields") }
                } else {
                    writer.reference("\(projection.name).fields")
                    writer.member("required", needed)
                }
                // In an update, counters are changed by increments only.
                let unset = counters.filter { $0.merge == .counter && operation == .update }
                if unset.isEmpty { return }
                writer.object("properties") { writer in
                    for counter in unset {
                        writer.key(counter.name)
                        writer.bool(false)
                    }
                }
            }
            if operation != .delete, !counters.isEmpty {
                writer.object(BodyMember.increments) { increments(of: counters, &$0) }
            }
        }
        if operation != .delete, !counters.isEmpty {
            writer.object("dependentRequired") { $0.member(BodyMember.increments, [BodyMember.stamp.description]) }
        }
        let members =
            [BodyMember.entity, BodyMember.id, BodyMember.operation] + (needed.isEmpty ? [] : [BodyMember.fields])
        writer.member("required", members.map(\.description))
        writer.closed()
    }

    private func increments(of counters: [Projection.Field], _ writer: inout JSONWriter) {
        writer.member("type", ["object", "null"])
        writer.object("properties") { writer in
            for counter in counters { writer.object(counter.name) { $0.reference("Int") } }
        }
        writer.closed()
    }

    private func policy(of field: Projection.Field, _ projection: Projection) -> MergePolicy {
        plan.hub.entities[projection.entity].units[field.unit].rule.policy
    }

    private func id(_ projection: Projection, _ writer: inout JSONWriter) {
        let isText = projection.identityType == .string
        guard let singleton = plan.hub.entities[projection.entity].singleton else {
            return writer.reference(isText ? "ID" : "UUID")
        }
        writer.member("$comment", "A space has one record of this entity: \(singleton)")
        writer.member("type", "string")
        writer.member("pattern", isText ? "^\(singleton)$" : ValueSchema.pattern(inAnyCase: singleton))
    }
}

extension JSONWriter {
    /// Writes a member `name` of the current object. Its value is an object, whose members `content` writes.
    package mutating func object(_ name: JSONKey, _ content: (inout JSONWriter) -> Void) {
        key(name)
        beginObject()
        content(&self)
        endObject()
    }

    /// Writes a member `name` of the current object. Its value is an object, whose members `content` writes.
    package mutating func object(_ name: String, _ content: (inout JSONWriter) -> Void) {
        key(name)
        beginObject()
        content(&self)
        endObject()
    }

    /// Writes a `$ref` to the definition `name` of the same document. Bytes that a URI cannot contain are
    /// percent-encoded (RFC 6901, section 6).
    mutating func reference(_ name: String) {
        let escaped = name.utf8.map { byte in
            byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        member("$ref", "#/$defs/" + escaped.joined())
    }

    /// Writes that the object may have no members other than the declared properties.
    fileprivate mutating func closed() {
        key("additionalProperties")
        bool(false)
    }
}

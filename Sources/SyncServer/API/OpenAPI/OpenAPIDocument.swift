import HTTPServer
package import StrictJSON
import SyncEngine
package import WireFormats

/// The OpenAPI document (version 3.1.1) of the API: its paths come from `RouteTable`, its bodies are the JSON Schemas
/// of the served versions.
///
/// Its size grows with the number of versions: about 40 KB for each version of thirty entities.
package struct OpenAPIDocument {
    private let plans: [Plan]

    package init(_ plans: [Plan]) {
        self.plans = plans.sorted { $0.app < $1.app }
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("openapi", "3.1.1")
        writer.object("info") { writer in
            writer.member("title", "syncserver")
            writer.member("version", "1")
            writer.member(
                "description",
                "Sync for apps whose users run many versions at once. What a client must do is in docs/protocol.md.")
        }
        writer.object("paths") { paths(&$0) }
        writer.object("components") { writer in
            writer.object("securitySchemes") { writer in
                writer.object("bearer") { writer in
                    writer.member("type", "http")
                    writer.member("scheme", "bearer")
                }
            }
            writer.object("parameters") { writer in
                choice(PathParameter.app.rawValue, in: "path", "An app that is served.", plans.map(\.app), &writer)
                choice(
                    PathParameter.version.rawValue, in: "path", "A version of the app, or a variant of one.", names,
                    &writer)
                choice(
                    HeaderName.schemaVersion, in: "header",
                    "The version that the client is built with; with its fingerprint, which says it more exactly.",
                    names,
                    &writer)
                writer.members(PackageResources.parameters_json)
            }
            writer.object("responses") { writer in
                writer.object("Problem") { writer in
                    writer.member("description", "A problem, with its code")
                    writer.content(MediaType.problem, schema: "Problem")
                }
            }
            writer.object("schemas") { writer in
                writer.members(PackageResources.schemas_json)
                for (plan, version) in versions {
                    writer.key(OpenAPIDocument.name(of: version, plan))
                    let schema = changes(plan, version)
                    writer.raw(json: schema.span)
                }
                writer.object("Changes") { writer in
                    writer.member("description", "The changes of an app's version")
                    writer.member("anyOf", each: versions) { writer, version in
                        writer.beginObject()
                        writer.reference(to: "schemas", OpenAPIDocument.name(of: version.version, version.plan))
                        writer.endObject()
                    }
                }
            }
        }
        writer.endObject()
    }

    /// Returns the JSON Schema of a version's changes. Its references point to definitions inside the OpenAPI document.
    private func changes(_ plan: Plan, _ version: Int) -> [UInt8] {
        var writer = JSONWriter()
        ChangesetSchema(plan, version: version)?.write(to: &writer)
        // Within a JSON string each quotation mark has a backslash before it, so a match can only be a member.
        let reference = "#/components/schemas/" + OpenAPIDocument.name(of: version, plan)
        let member = "\"$ref\":\""
        return writer.bytes.replacing(Array("\(member)#/$defs/".utf8), with: Array("\(member)\(reference)/$defs/".utf8))
    }

    private var versions: [(plan: Plan, version: Int)] {
        plans.flatMap { plan in plan.shapes.indices.map { (plan, $0) } }
    }

    /// Returns the name of a schema version in the document's `components`. It consists of the characters that OpenAPI
    /// allows there: letters, digits, `.`, `-` and `_`.
    private static func name(of version: Int, _ plan: Plan) -> String {
        "\(plan.app).\(plan.name(of: version))".replacing(";fp=", with: "-")
    }

    private func paths(_ writer: inout JSONWriter) {
        var paths: [(path: PathTemplate, routes: [Route])] = []
        for route in RouteTable.all {
            if let index = paths.firstIndex(where: { $0.path == route.path }) {
                paths[index].routes.append(route)
            } else {
                paths.append((route.path, [route]))
            }
        }
        for (path, routes) in paths {
            writer.object(path.description) { writer in
                if !path.parameters.isEmpty {
                    writer.member("parameters", each: path.parameters) { writer, parameter in
                        writer.beginObject()
                        writer.reference(to: "parameters", parameter.rawValue)
                        writer.endObject()
                    }
                }
                for route in routes {
                    writer.object(route.method.token.lowercased()) { operation(route.operation, &$0) }
                }
            }
        }
    }

    private func operation(_ operation: Route.Operation, _ writer: inout JSONWriter) {
        let description = operation.description
        writer.member("operationId", operation.name)
        writer.member("summary", description.summary)
        if case .open = operation {
        } else {
            writer.member("security", each: ["bearer"]) { writer, scheme in
                writer.beginObject()
                writer.member(scheme, [String]())
                writer.endObject()
            }
        }
        if !description.parameters.isEmpty {
            writer.member("parameters", each: description.parameters) { writer, name in
                writer.beginObject()
                writer.reference(to: "parameters", name)
                writer.endObject()
            }
        }
        if let body = description.body {
            writer.object("requestBody") { writer in
                writer.key("required")
                writer.bool(true)
                switch body {
                case .changes: writer.content(MediaType.json, schema: "Changes")
                case .schema(let name): writer.content(MediaType.json, schema: name)
                }
            }
        }
        writer.object("responses") { writer in
            writer.object("\(description.answer.status)") { answer(description.answer, of: operation, &$0) }
            for status in Set(operation.commonProblems + description.problems).sorted() {
                writer.object("\(status)") { $0.reference(to: "responses", "Problem") }
            }
        }
    }

    private func answer(
        _ answer: OperationDescription.Answer, of operation: Route.Operation, _ writer: inout JSONWriter
    ) {
        writer.member("description", "Done")
        if case .space = operation {
            writer.object("headers") { writer in
                for (name, type) in [
                    (HeaderName.schemaVersion, "string"), (HeaderName.syncHead, "integer"),
                    (HeaderName.serverTime, "string"),
                ] {
                    writer.object(name) { writer in
                        writer.key("required")
                        writer.bool(true)
                        writer.object("schema") { $0.member("type", type) }
                    }
                }
            }
        }
        if let schema = answer.schema { writer.content(answer.type, schema: schema) }
    }

    /// Writes a parameter whose value is one of `choices`.
    private func choice(
        _ name: String, in location: String, _ description: String, _ choices: [String], _ writer: inout JSONWriter
    ) {
        writer.object(name) { writer in
            writer.member("name", name)
            writer.member("in", location)
            // Clients from before the app had version numbers state none.
            writer.member("required", location == "path" || plans.allSatisfy { $0.baseline == nil })
            writer.member("description", description)
            writer.object("schema") { writer in
                writer.member("type", "string")
                writer.member("enum", choices)
            }
        }
    }

    /// The names of all schema versions and variants, as clients send them, without duplicates. A variant is another
    /// schema with the same version number.
    private var names: [String] {
        Set(versions.map { "\($0.plan.name(of: $0.version))" }).sorted()
    }
}

extension JSONWriter {
    fileprivate mutating func reference(to kind: String, _ name: String) {
        member("$ref", "#/components/\(kind)/\(name)")
    }

    fileprivate mutating func content(_ type: String, schema: String) {
        object("content") { writer in
            writer.object(type) { writer in
                writer.object("schema") { $0.reference(to: "schemas", schema) }
            }
        }
    }

    /// Writes the members of a JSON object into the current object.
    ///
    /// - Parameter object: the JSON text of the object, which is one of the server's own resource files.
    fileprivate mutating func members(_ object: [UInt8]) {
        guard let start = object.firstIndex(of: UInt8(ascii: "{")), let end = object.lastIndex(of: UInt8(ascii: "}"))
        else { return }
        let members = Array(object[(start + 1)..<end])
        raw(json: members.span)
    }
}

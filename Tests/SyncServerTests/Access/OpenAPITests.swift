import HTTPServer
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// `GET /openapi.json`, as far as that shows without a validator; `SchemathesisTests` has one.
@Suite struct OpenAPITests {
    @Test func theDocumentHasEveryRouteAndEveryVersion() async throws {
        try await withTestServer { server in
            let reply = try await server.client().request("GET", "/openapi.json")
            #expect(reply.status == 200 && reply["content-type"] == "application/json")
            let document = reply.json
            #expect(document["openapi"].string == "3.1.1")
            for route in RouteTable.all {
                let operation = document["paths"][route.path.description][route.method.token.lowercased()]
                #expect(operation["operationId"].string == route.operation.name, "\(route.path)")
                #expect(operation["responses"].members.keys.contains { $0.hasPrefix("2") }, "\(route.path)")
            }
            let schemas = document["components"]["schemas"]
            for shape in server.plan.shapes.indices {
                let name = "fitiq.\(server.plan.name(of: shape))".replacing(";fp=", with: "-")
                #expect(schemas[name]["$defs"]["UUID"] != .null, "\(name)")
            }
            print("openapi.json: \(reply.body.count) bytes for \(server.plan.shapes.count) shapes")
        }
    }

    /// Every `$ref` leads to something.
    @Test func whatTheDocumentRefersToIsInIt() async throws {
        try await withTestServer { server in
            let document = try await server.client().request("GET", "/openapi.json").json
            let references = Self.references(in: document)
            #expect(references.count > 100)
            for reference in references {
                var node = document
                for part in reference.dropFirst(2).split(separator: "/") { node = node[String(part)] }
                #expect(node != .null, "\(reference)")
            }
        }
    }

    private static func references(in value: JSONValue) -> Set<String> {
        switch value {
        case .object(let members):
            members.reduce(into: []) { found, member in
                if member.key == "$ref", let reference = member.value.string {
                    found.insert(reference)
                } else {
                    found.formUnion(references(in: member.value))
                }
            }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(references(in: $1)) }
        default: []
        }
    }
}

import HTTPServer
import PGStore
import StrictJSON
import SyncEngine
import WireFormats

/// The routes that describe the served apps. `GET /v1/apps` and `GET /v1/apps/{app}` list the versions that the server
/// serves. `…/versions/{version}/schema.json` returns the JSON Schema of a push in one version. These routes need no
/// token, because they reveal nothing about data.
struct AppsRoute {
    private let engines: [SyncEngine]

    init(_ engines: [SyncEngine]) {
        self.engines = engines.sorted { $0.plan.app < $1.plan.app }
    }

    func writeAll(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key(BodyMember.apps)
        writer.beginArray()
        for engine in engines { write(engine, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    func write(_ engine: SyncEngine, to writer: inout JSONWriter) {
        let plan = engine.plan
        writer.beginObject()
        writer.member(BodyMember.app, plan.app)
        writer.member(BodyMember.current, plan.schemas[plan.newest].version.description)
        if let baseline = plan.baseline {
            writer.member(BodyMember.baseline, plan.schemas[baseline].version.description)
        }
        writer.key(BodyMember.versions)
        writer.beginArray()
        for (index, schema) in plan.schemas.enumerated() {
            writer.beginObject()
            writer.member(BodyMember.version, schema.version.description)
            writer.member(BodyMember.fingerprint, schema.fingerprint)
            writeLifecycle(of: index, engine, isCurrent: index == plan.newest, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writeVariants(of: engine, to: &writer)
        writer.endObject()
    }

    private func writeLifecycle(of index: Int, _ engine: SyncEngine, isCurrent: Bool, to writer: inout JSONWriter) {
        let lifecycle = engine.lifecycles.row(of: index)
        let state = lifecycle?.state(at: engine.clock.time) ?? .supported
        writer.member(BodyMember.status, AppsRoute.status(state, isCurrent: isCurrent).rawValue)
        if let lifecycle { writer.members(of: lifecycle) }
    }

    private static func status(_ state: VersionStates.Row.State, isCurrent: Bool) -> VersionStatus {
        switch state {
        case .supported: isCurrent ? .current : .supported
        case .deprecated: .deprecated
        case .retired: .retired
        case .closed: .closed
        }
    }

    /// Returns a response with the JSON Schema of a push in the version that `text` names.
    static func schema(of text: String, _ plan: Plan) throws(Problem) -> HTTPResponse {
        guard let index = ShapeName(text).flatMap({ plan.index(of: $0) }),
            let schema = ChangesetSchema(plan, version: index)
        else {
            let known = plan.schemas.map(\.version.description).joined(separator: ", ")
            throw .notFound("There is no version ‘\(shortened(text))’ of \(plan.app); there is \(known).")
        }
        return .json(type: "application/schema+json") { schema.write(to: &$0) }
    }

    /// Writes the list of schema variants. A variant has the same version number as another schema, but differs from
    /// it. Writes nothing if there are no variants.
    private func writeVariants(of engine: SyncEngine, to writer: inout JSONWriter) {
        let plan = engine.plan
        let variants = plan.shapes.indices.filter(plan.isVariant)
        if variants.isEmpty { return }
        writer.member(BodyMember.variants, each: variants) { writer, index in
            writer.beginObject()
            writer.member(BodyMember.version, "\(plan.shapes[index].version)")
            writer.member(BodyMember.fingerprint, plan.shapes[index].fingerprint)
            writer.member(BodyMember.variantOf, plan.schemas[plan.version(of: index)].fingerprint)
            writeLifecycle(of: index, engine, isCurrent: false, to: &writer)
            writer.endObject()
        }
    }
}

public import WireFormats

/// The models of an app's build, with those of all earlier versions, so that the build can read a store that any
/// earlier version wrote.
///
/// ```swift
/// let schema = try SyncSchema(PantryPlan.self, version: "2.0.0")
/// ```
public struct SyncSchema: Sendable {
    /// The app's name in URLs.
    public let app: String
    /// The versions up to the build's own, oldest first. The last one is the build's own.
    package let history: [Schema]
    /// The build's own version.
    package let current: Schema
    /// The value of the header `Schema-Version` for the build's own version. It contains the fingerprint of the
    /// version's shape (its exact entities and attributes), because two shapes may have the same version number.
    package let header: String
    /// The description of each synced entity, by the entity's name.
    let kinds: [String: RecordKind]

    /// Makes a schema from an app's versions.
    ///
    /// - Parameter history: the versions of the app up to the build's own, oldest first; the last one is the build's
    ///   own.
    /// - Throws: `SyncSchemaError` if there is no version.
    package init(app: String, history: [Schema]) throws(SyncSchemaError) {
        guard let current = history.last else { throw SyncSchemaError("\(app) has no version") }
        self.app = app
        self.history = history
        self.current = current
        header = SyncSchema.header(of: current)
        let travelling = current.entities.filter { $0.scope == .synced }
        kinds = Dictionary(travelling.map { ($0.name, RecordKind($0, in: current)) }) { first, _ in first }
    }

    /// Makes a schema from versions in the format of `syncserver schema show --json`. `syncserver schema swift` writes
    /// them into an app's sources.
    ///
    /// - Throws: `SyncSchemaError` for a text that is not in this format.
    public init(app: String, frozen: [String]) throws(SyncSchemaError) {
        var history: [Schema] = []
        for text in frozen {
            do throws(SchemaReadingError) {
                history.append(try Schema(json: text))
            } catch {
                throw SyncSchemaError("a version of \(app) cannot be read: \(error)")
            }
        }
        try self.init(app: app, history: history)
    }

    /// Makes a schema from the app's migration plan, for an app whose build includes the plan.
    ///
    /// - Parameters:
    ///   - plan: the plan, with all of its versions.
    ///   - version: the version number, such as `0.1.1`; `nil` for the plan's newest.
    /// - Throws: `SyncSchemaError` for a version that the plan does not have, or a plan with mistakes.
    public init(_ plan: any SchemaMigrationPlan.Type, version: String? = nil) throws(SyncSchemaError) {
        let compiled: Plan
        do throws(PlanError) {
            compiled = try Plan(plan)
        } catch {
            throw SyncSchemaError("\(error)")
        }
        try self.init(compiled, version: version)
    }

    /// Makes a schema from a compiled plan.
    ///
    /// - Throws: `SyncSchemaError` for a version that the plan does not have.
    package init(_ plan: Plan, version: String? = nil) throws(SyncSchemaError) {
        guard let version else {
            try self.init(app: plan.app, history: plan.schemas)
            return
        }
        guard let index = ShapeName(version).flatMap({ plan.index(of: $0) }) else {
            throw SyncSchemaError("\(plan.app) has no version ‘\(version)’")
        }
        self = try SyncSchema(plan, index: index)
    }

    /// Makes a schema whose own version is one of the plan's shapes. A shape is an exact set of entities and
    /// attributes.
    ///
    /// The schema's history consists of the versions before the shape, and of the shape itself. If the shape is a
    /// variant (another shape with the number of a published version), it takes the place of the published one.
    ///
    /// - Parameter index: the index of the shape in the plan's `shapes`.
    package init(_ plan: Plan, index: Int) throws(SyncSchemaError) {
        let before = plan.schemas[..<plan.version(of: index)]
        try self.init(app: plan.app, history: before + [plan.shapes[index]])
    }

    static func header(of schema: Schema) -> String { "\(schema.version);fp=\(schema.fingerprint)" }

    /// Returns the index in `history` of the version in which a store was written; `nil` for a version that this build
    /// does not know, such as a newer one.
    func index(of header: String) -> Int? { history.firstIndex { SyncSchema.header(of: $0) == header } }

    /// Returns the description of an entity.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not have or does not sync.
    func kind(_ entity: String) throws(SyncSchemaError) -> RecordKind {
        guard let kind = kinds[entity] else {
            throw SyncSchemaError(
                "\(app) \(current.version) syncs no entity ‘\(entity)’; it syncs "
                    + kinds.keys.sorted().joined(separator: ", ")
            )
        }
        return kind
    }
}

/// An error of an app's code: it asks for an entity, a record or a version that does not exist, or sets a value that is
/// not possible.
public struct SyncSchemaError: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

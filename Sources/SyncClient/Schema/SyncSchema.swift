public import WireFormats

/// The models that a build of an app has, and those of the versions before it: what it needs to read its own older
/// stores, whatever version wrote them.
public struct SyncSchema: Sendable {
    /// The app's name in URLs.
    public let app: String
    /// The versions up to this build's, oldest first. The last one is the build's own.
    public let history: [Schema]
    /// The build's own version.
    public let current: Schema
    /// How requests and changes name it: with the fingerprint, because a number may have been given to two shapes.
    public let header: String
    /// The entities that travel, by name.
    let kinds: [String: RecordKind]

    /// - Parameter history: the versions of the app up to the build's, oldest first, which is the last.
    /// - Throws: `SyncSchemaError` where there is none.
    public init(app: String, history: [Schema]) throws(SyncSchemaError) {
        guard let current = history.last else { throw SyncSchemaError("\(app) has no version") }
        self.app = app
        self.history = history
        self.current = current
        header = SyncSchema.header(of: current)
        let travelling = current.entities.filter { $0.scope == .synced }
        kinds = Dictionary(travelling.map { ($0.name, RecordKind($0, in: current)) }) { first, _ in first }
    }

    /// The versions as `syncserver schema show --json` prints them, which is what `syncserver schema swift` writes into
    /// an app's sources.
    ///
    /// - Throws: `SyncSchemaError` for what is no such text.
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

    /// A version of an app that has its plan at hand.
    ///
    /// - Parameter version: as `0.1.1`; the plan's newest where none is given.
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

    /// The same of a plan that is compiled.
    public init(_ plan: Plan, version: String? = nil) throws(SyncSchemaError) {
        guard let version else {
            try self.init(app: plan.app, history: plan.schemas)
            return
        }
        guard let place = ShapeName(version).flatMap({ plan.index(of: $0) }) else {
            throw SyncSchemaError("\(plan.app) has no version ‘\(version)’")
        }
        self = try SyncSchema(plan, place: place)
    }

    /// The shape at a place of the plan's `shapes`. A variant comes after the version before the one whose number it
    /// has.
    package init(_ plan: Plan, place: Int) throws(SyncSchemaError) {
        let before = plan.schemas[..<plan.version(of: place)]
        try self.init(app: plan.app, history: before + [plan.shapes[place]])
    }

    static func header(of schema: Schema) -> String { "\(schema.version);fp=\(schema.fingerprint)" }

    /// The place in `history` of the version that a store was written in; `nil` for one that this build does not know,
    /// such as a newer one.
    func place(of header: String) -> Int? { history.firstIndex { SyncSchema.header(of: $0) == header } }

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

/// What an app's code asks of its models and they do not have.
public struct SyncSchemaError: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

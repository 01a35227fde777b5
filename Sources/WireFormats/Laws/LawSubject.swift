/// The plan under test, and the two functions that create and edit its rows.
///
/// Outside tests the functions are the plan's own. Tests of the law checks replace a part by a faulty one and expect a
/// violation, because a check that never fails proves nothing.
struct LawSubject: Sendable {
    let app: String
    let tree: ShapeTree
    let hub: Hub
    var projections: [[Projection?]]
    /// The plan's projections, compiled a second time as another process would do. By law 7 they give the same results.
    let recompiled: [[Projection?]]
    var put: @Sendable (Projection, [FieldEdit], inout [Value]) throws(LensFailure) -> Void
    var create: @Sendable (Projection, [FieldEdit], RecordContext) throws(LensFailure) -> [Value]

    init(_ plan: Plan) {
        app = plan.app
        tree = plan.tree
        hub = plan.hub
        projections = plan.projections
        recompiled = HubCompiler(app: plan.app, tree: plan.tree).compile().1
        put = { projection, edits, row throws(LensFailure) in try projection.put(edits, into: &row) }
        create = { projection, edits, record throws(LensFailure) in
            try projection.create(edits, id: record.id, createdAt: record.createdAt)
        }
    }
}

import DemoApps
import PGStore
import Testing
import WireFormats

@testable import SyncEngine

@Suite struct PageViewsTests {
    /// FitIQ has more updates than are kept. Which they are shows in no page.
    @Test func viewsOfUpdatesAreMadeAgain() throws {
        let plan = try Plan(FitIQPlan.self)
        let views = PageViews(
            plan, tables: plan.hub.entities.map { RecordTable($0, schema: plan.hub.schema) }, faults: ReadFaults())
        let updates = plan.shapes.indices.flatMap { newer in
            plan.shapes.indices.filter { plan.isUpdate(from: $0, to: newer) }.map { (older: $0, newer: newer) }
        }
        #expect(updates.count > PageViews.updatesMax)
        for _ in 0..<2 {
            for (older, newer) in updates {
                let entities = views.update(from: older, to: newer)?.query.entities ?? []
                let wanted = plan.widening(from: older, to: newer).parts.map(\.projection.entity)
                #expect(entities == wanted)
            }
            #expect(views.updateCount == PageViews.updatesMax)
        }
    }
}

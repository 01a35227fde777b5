import PGStore
import Synchronization
import WireFormats

/// The queries and encoders of pages, for each version and for each update of an app from one version to another. Each
/// is made when it is first used: fifty versions have 1,225 updates, and most never happen.
final class PageViews: Sendable {
    private let plan: Plan
    private let tables: [RecordTable]
    private let faults: ReadFaults
    private let made = Mutex(Made())

    /// The most updates (of an app from one version to another) for which views are kept. They are limited because a
    /// view has the statements for all tables.
    static let updatesMax = 64

    private struct Made {
        /// The views (queries and encoders) for everything that a version sees, by the version's index in
        /// `Plan.shapes`.
        var whole: [Int: Pull.View] = [:]
        var updates: [Update: Pull.View?] = [:]
        /// The keys of `updates`, in the order in which their views were made.
        var order: [Update] = []
    }

    /// An update of an app from an older version to a newer one, both as indices in `Plan.shapes`.
    private struct Update: Hashable {
        let older: Int
        let newer: Int
    }

    init(_ plan: Plan, tables: [RecordTable], faults: ReadFaults) {
        self.plan = plan
        self.tables = tables
        self.faults = faults
    }

    /// The number of updates (of an app from one version to another) whose views are kept.
    var updateCount: Int { made.withLock { $0.updates.count } }

    /// Returns the view (the query and the encoders) for everything that a version sees.
    func whole(of shape: Int) -> Pull.View {
        if let known = made.withLock({ $0.whole[shape] }) { return known }
        let projections = plan.projections[shape].compactMap { $0 }
        let view = Pull.View(
            query: PageQuery(projections, tables: tables, app: plan.app), encoders: encoders(projections))
        made.withLock { $0.whole[shape] = view }
        return view
    }

    /// Returns the view (the query and the encoders) for everything that a version sees and an older one does not, for
    /// an app that was updated; `nil` if there is nothing.
    func update(from older: Int, to newer: Int) -> Pull.View? {
        let update = Update(older: older, newer: newer)
        if let known = made.withLock({ $0.updates[update] }) { return known }
        let widening = plan.widening(from: older, to: newer)
        let view =
            widening.parts.isEmpty
            ? nil
            : Pull.View(
                query: PageQuery(widening, tables: tables, app: plan.app),
                encoders: encoders(widening.parts.map(\.projection)))
        made.withLock { made in
            if made.updates.updateValue(view, forKey: update) != nil { return }
            made.order.append(update)
            if made.order.count > PageViews.updatesMax { made.updates[made.order.removeFirst()] = nil }
        }
        return view
    }

    private func encoders(_ projections: [Projection]) -> [PageEncoder] {
        projections.map { PageEncoder($0, table: tables[$0.entity], faults: faults) }
    }
}

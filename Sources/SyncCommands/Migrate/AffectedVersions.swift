import WireFormats

/// The versions of apps that are affected when a migration rewrites records, because their devices then receive the
/// changed records. They are derived from the plans.
struct AffectedVersions {
    let plans: [Plan]

    /// Returns the names of an app's versions that have an entity, as devices send them, oldest first.
    ///
    /// - Parameter entity: the entity's name in any version.
    func shapes(seeing entity: String, of app: String) -> [String] {
        guard let plan = plans.first(where: { $0.app == app }) else { return [] }
        return positions(seeing: entity, plan).map { plan.name(of: $0).description }
    }

    /// Returns a text about the app's versions that have the entity, such as `0.0.5 to 0.1.1`. Consecutive versions are
    /// given as a range. The text is ‘no version’ if there are none.
    func summary(seeing entity: String, of app: String) -> String {
        guard let plan = plans.first(where: { $0.app == app }) else { return "no version" }
        let positions = positions(seeing: entity, plan)
        var runs: [ClosedRange<Int>] = []
        for position in positions {
            if let last = runs.last, last.upperBound == position - 1, !plan.isVariant(position) {
                runs[runs.count - 1] = last.lowerBound...position
            } else {
                runs.append(position...position)
            }
        }
        let names = runs.map { run in
            let (first, last) = (plan.name(of: run.lowerBound), plan.name(of: run.upperBound))
            return run.count == 1 ? "\(first)" : "\(first) to \(last)"
        }
        return names.isEmpty ? "no version" : names.joined(separator: ", ")
    }

    private func positions(seeing entity: String, _ plan: Plan) -> [Int] {
        let newestFirst = plan.shapes.indices.reversed()
        guard let index = newestFirst.lazy.compactMap({ plan.projection(version: $0, named: entity)?.entity }).first
        else {
            return []
        }
        return plan.shapes.indices.filter { plan.projections[$0][index] != nil }
    }
}

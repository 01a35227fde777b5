import SourceFacts

/// Reads the app's own SwiftData migration plan. The plan lists the versions that were shipped.
struct AppPlanReader {
    /// A version type that the app's plan lists.
    struct Listed {
        let node: Int
        /// The `#if` condition under which the plan lists the version; `nil` if it is listed in every build.
        let condition: String?
    }

    let name: String
    let versions: [Listed]
    /// The types that the plan lists and the sources do not declare as versions.
    let missing: [TypeList.Element]
    /// The parts of the plan's list that cannot be read. If there are any, it is unknown which versions the plan has.
    let gaps: [TypeList.Gap]

    /// Finds the app's plan. If there are several, it is the one with the most versions, because the others belong to
    /// other stores or to tests. The result is `nil` if no plan lists anything.
    init?(_ index: SourceIndex, versions declared: [Int]) {
        let plans = index.nodes.indices.filter { node in
            index.nodes[node].inherited.contains { $0.isNamed("SchemaMigrationPlan") }
        }
        var found: (node: Int, list: TypeList, count: Int)?
        for node in plans {
            let list = TypeList("schemas", of: node, in: index)
            let count = list.elements.count { $0.node.map(declared.contains) ?? false }
            guard !list.elements.isEmpty || !list.gaps.isEmpty, count > (found?.count ?? -1) else { continue }
            found = (node, list, count)
        }
        guard let found else { return nil }
        name = index.nodes[found.node].name
        gaps = found.list.gaps
        versions = found.list.elements.compactMap { element in
            element.node.flatMap { declared.contains($0) ? Listed(node: $0, condition: element.condition) : nil }
        }
        missing = found.list.elements.filter { element in !(element.node.map(declared.contains) ?? false) }
    }

    /// Returns true if the app's migration plan lists the version type `node`. If the list cannot be read completely,
    /// or names no known version, returns true for every version.
    func includes(_ node: Int) -> Bool {
        !gaps.isEmpty || versions.isEmpty || versions.contains { $0.node == node }
    }
}

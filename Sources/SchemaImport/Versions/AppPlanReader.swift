import SourceFacts

/// The app's own migration plan, read for the versions that were shipped.
struct AppPlanReader {
    /// A version that the plan lists.
    struct Listed {
        let node: Int
        /// The `#if` condition of the entry; `nil` if it is in every build.
        let condition: String?
    }

    let name: String
    let versions: [Listed]
    /// The listed types that the sources do not declare.
    let missing: [TypeList.Element]
    /// The parts of the list that cannot be read. If there are any, the plan's versions are not fully known.
    let gaps: [TypeList.Gap]

    /// Finds the app's plan: the one with the most versions, because any other belongs to another store or to tests.
    /// `nil` if no plan lists anything.
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

    /// True if the plan has the version. True for all versions if the list cannot be read, or names no known version.
    func includes(_ node: Int) -> Bool {
        !gaps.isEmpty || versions.isEmpty || versions.contains { $0.node == node }
    }
}

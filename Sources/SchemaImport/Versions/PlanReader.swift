import SourceFacts

/// The app's own migration plan, as far as it tells which versions were shipped.
struct PlanReader {
    /// A version that it lists.
    struct Listed {
        let node: Int
        /// Under which `#if`; `nil` where it is in every build.
        let condition: String?
    }

    let name: String
    let versions: [Listed]
    /// The types that it lists and the sources do not have.
    let missing: [TypeList.Element]
    /// The parts of its list that cannot be read: which versions it has is not known then.
    let gaps: [TypeList.Gap]

    /// The plan with the most versions: a second one is another store's, or a test's. `nil` where none lists anything.
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

    /// True of a version that it has; of all where its list cannot be read, or names none that is there.
    func includes(_ node: Int) -> Bool {
        !gaps.isEmpty || versions.isEmpty || versions.contains { $0.node == node }
    }
}

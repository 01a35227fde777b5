import StrictJSON
import SyncEngine
import WireFormats

/// The records of an import that belong to other records of it, and would be deleted with them.
struct ImportBelongings {
    /// A record as a file names it.
    private struct Key: Hashable {
        let entity: Int
        /// The id in UTF-8: two texts that only look the same name two records.
        let id: [UInt8]

        init(entity: Int, named text: String) {
            self.entity = entity
            id = Array((ID(text)?.description ?? text).utf8)
        }
    }

    private var keys: [Key?] = []
    private var names: [String] = []
    /// By index of an item: the indices of the items that it belongs to.
    private var parents: [[Int]] = []
    private var refused: Set<Int> = []
    /// The indices of the items, by level, in the order of their import: an item is in a later level than those it
    /// belongs to.
    let levels: [[Int]]

    init(_ items: [ImportItem], version: Int, _ plan: Plan) {
        var indexByKey: [Key: Int] = [:]
        var targets: [[Key]] = []
        for (index, item) in items.enumerated() {
            let read = ImportBelongings.read(item, version: version, plan)
            keys.append(read.key)
            names.append(read.name)
            targets.append(read.targets)
            if let key = read.key, indexByKey[key] == nil { indexByKey[key] = index }
        }
        parents = targets.enumerated().map { index, targets in
            targets.compactMap { indexByKey[$0] }.filter { $0 != index }
        }
        levels = ImportBelongings.levels(parents)
    }

    /// The name of a refused record that an item belongs to; `nil` if there is none.
    func refusedParent(of index: Int) -> String? {
        parents[index].first { refused.contains($0) }.map { names[$0] }
    }

    mutating func refuse(_ index: Int) { refused.insert(index) }

    /// The record of an item, and the records that it belongs to, from its changes. Bytes that are no change are
    /// skipped.
    private static func read(
        _ item: ImportItem, version: Int, _ plan: Plan
    ) -> (key: Key?, name: String, targets: [Key]) {
        var targets: [Key] = []
        var key: Key?
        var name = "record"
        for change in item.changes {
            guard let root = try? JSONDocument(parsing: change).root, let entity = root["entity"]?.string,
                let id = root["id"]?.string
            else { continue }
            let written = root["version"]?.string.flatMap { ShapeName($0) }.flatMap { plan.index(of: $0) } ?? version
            guard let projection = plan.projection(version: written, named: entity) else { continue }
            key = Key(entity: projection.entity, named: id)
            name = "\(entity) \(shortened(id))"
            for reference in plan.hub.entities[projection.entity].references where reference.diesWithTarget {
                guard let field = projection.fields.first(where: { $0.column == reference.column }),
                    let target = root["fields"]?[field.name]?.string
                else { continue }
                targets.append(Key(entity: reference.target, named: target))
            }
        }
        return (key, name, targets)
    }

    /// Sorts items into levels, each behind all items that it belongs to. Items in a cycle, or behind one, are together
    /// in the last level.
    private static func levels(_ parents: [[Int]]) -> [[Int]] {
        var children: [[Int]] = Array(repeating: [], count: parents.count)
        var open = parents.map(\.count)
        for (index, parents) in parents.enumerated() {
            for parent in parents { children[parent].append(index) }
        }
        var levels: [[Int]] = []
        var level = open.indices.filter { open[$0] == 0 }
        var isOpen = Array(repeating: true, count: parents.count)
        while !level.isEmpty {
            levels.append(level)
            var next: [Int] = []
            for index in level {
                isOpen[index] = false
                for child in children[index] {
                    open[child] -= 1
                    if open[child] == 0 { next.append(child) }
                }
            }
            level = next.sorted()
        }
        let ring = isOpen.indices.filter { isOpen[$0] }
        return ring.isEmpty ? levels : levels + [ring]
    }
}

import StrictJSON
import SyncEngine
import WireFormats

/// The ownership between the records of an import: a record that belongs to another is deleted with it. So it is
/// imported after its owner, and not at all if the owner is refused.
struct ImportBelongings {
    /// The identity of a record: its entity, and its id as the file has it.
    private struct Key: Hashable {
        let entity: Int
        /// The id in UTF-8, because comparing strings would treat canonically equivalent texts as one id.
        let id: [UInt8]

        init(entity: Int, named text: String) {
            self.entity = entity
            id = Array((ID(text)?.description ?? text).utf8)
        }
    }

    private var keys: [Key?] = []
    private var names: [String] = []
    /// The indices of the items to which each item belongs, by the item's index.
    private var parents: [[Int]] = []
    private var refused: Set<Int> = []
    /// The indices of the items, grouped in levels that are imported in this order. A record is in a later level than
    /// the records to which it belongs, so it is imported after them.
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

    /// Returns the name of a refused record to which the item at `index` belongs; `nil` if there is none.
    func refusedParent(of index: Int) -> String? {
        parents[index].first { refused.contains($0) }.map { names[$0] }
    }

    mutating func refuse(_ index: Int) { refused.insert(index) }

    /// Parses the changes of an item. Returns the key and the name of the record that they change, and the keys of the
    /// records to which it belongs. Bytes that are not a valid change are skipped.
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

    /// Groups items in levels: each item is in a later level than the items to which it belongs. Items that belong to
    /// each other in a cycle are all in the last level, together with the items that belong to them.
    ///
    /// - Parameter parents: for each item, the indices of the items to which it belongs.
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

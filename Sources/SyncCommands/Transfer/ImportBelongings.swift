import SyncEngine
import SyncServer
import WireFormats

/// Which records of an import belong to which others of it: those that would go with them when they are deleted.
struct ImportBelongings {
    /// A record as a file names it.
    private struct Key: Hashable {
        let entity: Int
        /// UTF-8: of two texts that only look the same, each is a record.
        let id: [UInt8]

        init(entity: Int, named text: String) {
            self.entity = entity
            id = Array((ID(text)?.description ?? text).utf8)
        }
    }

    private var keys: [Key?] = []
    private var names: [String] = []
    /// By place: the places of those that it belongs to.
    private var parents: [[Int]] = []
    private var refused: Set<Int> = []
    /// Places among the items, in the order in which they go in: whatever belongs to others is in a later level.
    let levels: [[Int]]

    init(_ items: [ImportItem], version: Int, _ plan: Plan) {
        var places: [Key: Int] = [:]
        var targets: [[Key]] = []
        for (place, item) in items.enumerated() {
            let read = ImportBelongings.read(item, version: version, plan)
            keys.append(read.key)
            names.append(read.name)
            targets.append(read.targets)
            if let key = read.key, places[key] == nil { places[key] = place }
        }
        parents = targets.enumerated().map { place, targets in
            targets.compactMap { places[$0] }.filter { $0 != place }
        }
        levels = ImportBelongings.levels(parents)
    }

    /// One of the records that an item belongs to, if it was refused.
    func refusedParent(of place: Int) -> String? {
        parents[place].first { refused.contains($0) }.map { names[$0] }
    }

    mutating func refuse(_ place: Int) { refused.insert(place) }

    /// The record of an item, and those that it belongs to, as its changes say; what is no change says nothing.
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

    /// Each behind all that it belongs to; those of a ring, which is nobody's to begin with, together at the end.
    private static func levels(_ parents: [[Int]]) -> [[Int]] {
        var children: [[Int]] = Array(repeating: [], count: parents.count)
        var open = parents.map(\.count)
        for (place, parents) in parents.enumerated() {
            for parent in parents { children[parent].append(place) }
        }
        var levels: [[Int]] = []
        var level = open.indices.filter { open[$0] == 0 }
        var isOpen = Array(repeating: true, count: parents.count)
        while !level.isEmpty {
            levels.append(level)
            var next: [Int] = []
            for place in level {
                isOpen[place] = false
                for child in children[place] {
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

/// All shapes of an app's models that clients use, and the stages between them. The versions form a chain. Each
/// historical variant is a branch from the version with the same number.
///
/// A shape is referred to by its index: the versions come first, oldest first, then the variants in the order of
/// declaration. `stages[k]` leads to `shapes[k + 1]`, from the shape that `origin(of: k)` returns. No stage leads to
/// the first shape.
struct ShapeTree: Sendable {
    let shapes: [Schema]
    let stages: [Stage]
    let variants: [Variant]

    /// The position of a historical variant in the tree: the version with the same number (`canonical`), and the newest
    /// version when the variant was added. Both are indices of versions.
    struct Variant: Sendable {
        let canonical: Int
        /// The index of the version that was the newest when the variant was added to the plan.
        let addedWith: Int
    }

    /// One stage on a path between two shapes (versions or historical variants), with the direction in which the path
    /// goes through it.
    struct Hop: Sendable {
        let stage: Int
        /// True if the path goes through the stage from the older to the newer shape.
        let isUpward: Bool
    }

    /// The number of versions. All other shapes are historical variants.
    var versions: Int { shapes.count - variants.count }

    func isVariant(_ index: Int) -> Bool { index >= versions }

    /// The name by which clients of the shape at `index` refer to it in requests.
    func name(of index: Int) -> ShapeName {
        ShapeName(version: shapes[index].version, fingerprint: isVariant(index) ? shapes[index].fingerprint : nil)
    }

    /// The index of the version with the same number as the shape at `index`.
    func version(of index: Int) -> Int {
        isVariant(index) ? variants[index - versions].canonical : index
    }

    /// The index of the shape from which `stage` leads.
    func origin(of stage: Int) -> Int {
        isVariant(stage + 1) ? variants[stage + 1 - versions].canonical : stage
    }

    /// Returns the stages that lead from the shape at `index` to all other shapes, each with its direction. Each stage
    /// begins at a shape that has been reached before.
    ///
    /// From a historical variant, the path first leads to its version. It then leads to the newest version, to the
    /// oldest version, and to the other variants.
    func hops(from index: Int) -> [Hop] {
        let version = version(of: index)
        var hops = isVariant(index) ? [Hop(stage: index - 1, isUpward: false)] : []
        hops += (version..<versions - 1).map { Hop(stage: $0, isUpward: true) }
        hops += (0..<version).reversed().map { Hop(stage: $0, isUpward: false) }
        hops += (versions..<shapes.count).filter { $0 != index }.map { Hop(stage: $0 - 1, isUpward: true) }
        return hops
    }

    /// The indices of all shapes, in the order in which their columns were added to the tables: each variant directly
    /// after the version with which it was added.
    ///
    /// A new shape never changes the order of the earlier ones. Columns' names and the stored stamps of records depend
    /// on this order.
    var growth: [Int] {
        (0..<versions).flatMap { version in
            [version] + variants.indices.filter { variants[$0].addedWith == version }.map { versions + $0 }
        }
    }

    /// The index of the version that was the newest when the shape at `index` was added to the plan. For a version,
    /// this is the version itself.
    func age(of index: Int) -> Int {
        isVariant(index) ? variants[index - versions].addedWith : index
    }

    /// Returns the tree as it was when it had only the first `count` shapes of `growth`.
    func grown(_ count: Int) -> ShapeTree {
        let indices = growth.prefix(count).sorted()
        return ShapeTree(
            shapes: indices.map { shapes[$0] }, stages: indices.dropFirst().map { stages[$0 - 1] },
            variants: indices.filter(isVariant).map { variants[$0 - versions] })
    }
}

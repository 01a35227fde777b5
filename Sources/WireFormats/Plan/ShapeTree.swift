/// Every shape that clients of an app speak, and the stages between them. The versions form a chain. Each historical
/// variant hangs on the version whose number it shares.
///
/// A shape is referred to by its index: the versions come first, oldest first, then the variants in the order of
/// declaration. One stage leads to each shape but the first: `stages[k]` leads from its origin to `shapes[k + 1]`.
struct ShapeTree: Sendable {
    let shapes: [Schema]
    let stages: [Stage]
    let variants: [Variant]

    /// The position of a variant in the tree. Both properties are indices of versions.
    struct Variant: Sendable {
        let canonical: Int
        /// The newest version at the time when the variant was declared.
        let addedWith: Int
    }

    /// One stage on the path from a shape to the others.
    struct Hop: Sendable {
        let stage: Int
        /// True if the hop leads from the stage's origin to the shape that the stage leads to.
        let isUpward: Bool
    }

    /// The number of shapes that are versions.
    var versions: Int { shapes.count - variants.count }

    func isVariant(_ index: Int) -> Bool { index >= versions }

    /// The name that a client of the shape at `index` states.
    func name(of index: Int) -> ShapeName {
        ShapeName(version: shapes[index].version, fingerprint: isVariant(index) ? shapes[index].fingerprint : nil)
    }

    /// The index of the version that has the number of the shape at `index`.
    func version(of index: Int) -> Int {
        isVariant(index) ? variants[index - versions].canonical : index
    }

    /// The index of the shape that `stage` leads from.
    func origin(of stage: Int) -> Int {
        isVariant(stage + 1) ? variants[stage + 1 - versions].canonical : stage
    }

    /// The hops from the shape at `index` to all others, in an order in which each hop begins where an earlier
    /// one ended: to the newest version, to the oldest, and then to the variants.
    func hops(from index: Int) -> [Hop] {
        let version = version(of: index)
        var hops = isVariant(index) ? [Hop(stage: index - 1, isUpward: false)] : []
        hops += (version..<versions - 1).map { Hop(stage: $0, isUpward: true) }
        hops += (0..<version).reversed().map { Hop(stage: $0, isUpward: false) }
        hops += (versions..<shapes.count).filter { $0 != index }.map { Hop(stage: $0 - 1, isUpward: true) }
        return hops
    }

    /// The shapes in the order in which the tables grew: each variant directly after the version it was added with.
    ///
    /// A later shape never moves anything that was there before: a column's name and its position in the stamps of
    /// stored rows depend on this order.
    var growth: [Int] {
        (0..<versions).flatMap { version in
            [version] + variants.indices.filter { variants[$0].addedWith == version }.map { versions + $0 }
        }
    }

    /// The index of the version that was the newest when the shape at `index` was added.
    func age(of index: Int) -> Int {
        isVariant(index) ? variants[index - versions].addedWith : index
    }

    /// The tree as it was when it had the first `count` shapes of `growth`.
    func grown(_ count: Int) -> ShapeTree {
        let indices = growth.prefix(count).sorted()
        return ShapeTree(
            shapes: indices.map { shapes[$0] }, stages: indices.dropFirst().map { stages[$0 - 1] },
            variants: indices.filter(isVariant).map { variants[$0 - versions] })
    }
}

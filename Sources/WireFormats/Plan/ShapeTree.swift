/// Every shape that clients of an app speak, and how they hang together: the versions in a chain, and each historical
/// variant on the version whose number it shares.
///
/// A shape is referred to by its place: the versions come first, oldest first, then the variants as they are declared.
/// One stage leads to each shape but the first: `stages[k]` to `shapes[k + 1]`, from its origin.
struct ShapeTree: Sendable {
    let shapes: [Schema]
    let stages: [Stage]
    let variants: [Variant]

    /// Where a variant hangs. Both are places of versions.
    struct Variant: Sendable {
        let canonical: Int
        /// The newest version when the variant was declared.
        let addedWith: Int
    }

    /// One stage on the way from a shape to others.
    struct Hop: Sendable {
        let stage: Int
        /// Whether it leads from the stage's origin to the shape that the stage leads to.
        let isUpward: Bool
    }

    /// How many of the shapes are versions.
    var versions: Int { shapes.count - variants.count }

    func isVariant(_ place: Int) -> Bool { place >= versions }

    /// What a client of the shape at `place` says of itself.
    func name(of place: Int) -> ShapeName {
        ShapeName(version: shapes[place].version, fingerprint: isVariant(place) ? shapes[place].fingerprint : nil)
    }

    /// The version under whose number the shape at `place` goes.
    func version(of place: Int) -> Int {
        isVariant(place) ? variants[place - versions].canonical : place
    }

    /// The shape that `stage` leads from.
    func origin(of stage: Int) -> Int {
        isVariant(stage + 1) ? variants[stage + 1 - versions].canonical : stage
    }

    /// From the shape at `place` to all others, so that each hop begins where an earlier one ended: to the newest
    /// version, to the oldest, and then to the variants.
    func walk(from place: Int) -> [Hop] {
        let version = version(of: place)
        var hops = isVariant(place) ? [Hop(stage: place - 1, isUpward: false)] : []
        hops += (version..<versions - 1).map { Hop(stage: $0, isUpward: true) }
        hops += (0..<version).reversed().map { Hop(stage: $0, isUpward: false) }
        hops += (versions..<shapes.count).filter { $0 != place }.map { Hop(stage: $0 - 1, isUpward: true) }
        return hops
    }

    /// The shapes in the order in which the tables grew: each variant right after the version it was added with.
    ///
    /// What comes later never moves what was there: a column's name and its place in the stamps of stored rows depend
    /// on this order.
    var growth: [Int] {
        (0..<versions).flatMap { version in
            [version] + variants.indices.filter { variants[$0].addedWith == version }.map { versions + $0 }
        }
    }

    /// The newest version when the shape at `place` came into being.
    func age(of place: Int) -> Int {
        isVariant(place) ? variants[place - versions].addedWith : place
    }

    /// The tree as it was when it had the first `count` shapes of `growth`.
    func grown(_ count: Int) -> ShapeTree {
        let places = growth.prefix(count).sorted()
        return ShapeTree(
            shapes: places.map { shapes[$0] }, stages: places.dropFirst().map { stages[$0 - 1] },
            variants: places.filter(isVariant).map { variants[$0 - versions] })
    }
}

import WireFormats

/// One entity through all its versions, and how what one of them writes reaches the others.
///
/// A record is kept as each version reads it. Versions that hold the very same of an attribute share its *place*; where
/// their values may differ, each has a place of its own, and a *flow* leads from the one to the other.
struct RecordKind: Sendable {
    /// By shape; `nil` where the shape does not sync it.
    var names: [String?]
    /// By shape, in declared order.
    var fields: [[Field]]
    /// By shape: places in `fields`.
    var fieldsByName: [[String: Int]] = []
    /// By shape: the attribute that repeats the record's id.
    var identities: [String?]
    /// What has a stamp of its own.
    var registers: [Register] = []
    var wholes: [Whole] = []
    /// By place: what an edit of it is an edit of.
    var owners: [Owner] = []
    var references: [Reference] = []
    /// Places of what the newest version calls unique.
    var uniquePlaces: [Int] = []
    /// By shape: from its places to those of all others, nearest first.
    var flows: [[Flow]] = []
    /// The shapes that the server knows.
    var shapes: [Int] = []
    /// From what the server knows to what only later versions have, nearest first: what the migration will make of it.
    var rise: [Flow] = []
    /// By shape: how the places that it does not have begin, nearest first.
    var beginnings: [[BeginningStep]] = []

    /// An attribute or to-one relationship of one version.
    struct Field: Sendable {
        let attribute: Schema.Attribute
        let place: Int
        let isReference: Bool
    }

    enum Owner: Sendable {
        case register(Int)
        /// A form of a whole, which has no stamp: an edit of it is one of each of its parts.
        case whole(Int)
    }

    /// Attributes that stages link, in all their forms, and that are edited as one; or one part of a whole, in all its
    /// forms.
    struct Register: Sendable {
        /// Those of older versions first: in that order two values of equal stamps are compared.
        let places: [Int]
        /// What the newest version that has it says, and where that has it: its shape and its place.
        let policy: MergePolicy
        let ruling: (shape: Int, place: Int)
        /// What it is a part of.
        var whole: Int?
    }

    /// What a stage links with several parts, in all its forms.
    struct Whole: Sendable {
        let places: [Int]
        /// Registers.
        let parts: [Int]
        /// The places of all parts, and then those of the whole: in that order two of equal stamps are compared.
        let linked: [Int]
        /// From what the parts have to all forms of the whole, nearest first.
        let back: [Flow]
    }

    /// What follows from what, at a distance of one stage.
    struct Flow: Sendable {
        let near: [Int]
        let far: [Int]
        let convert: @Sendable ([Value]) -> [Value]
    }

    /// How a place gets its first value.
    enum BeginningStep: Sendable {
        case fill(Int, Schema.Attribute, Default?)
        case follow(Flow)
        case copy(Int, from: Int)
    }

    /// A to-one relationship, by the newest version's rules.
    struct Reference: Sendable {
        let place: Int
        /// The kind referred to.
        let target: Int
        /// Whether the record goes when its target does: the inverse cascades.
        let goesWithTarget: Bool
        /// Whether the target goes when the record does: the relationship itself cascades.
        let takesTargetAlong: Bool
    }
}

import WireFormats

/// One entity through all its versions, and the propagation of writes from each version to the others.
///
/// A record is kept as each version reads it. Versions whose values of an attribute are identical share its *slot*, an
/// index into the record's values. If their values may differ, each version has a slot of its own, and a *flow* leads
/// from one slot to the other.
struct RecordKind: Sendable {
    /// Entity names, indexed by shape; `nil` if the shape does not sync the entity.
    var names: [String?]
    /// Fields, indexed by shape, in declared order.
    var fields: [[Field]]
    /// Indices into `fields` by attribute name, indexed by shape.
    var fieldsByName: [[String: Int]] = []
    /// Attributes that repeat the record's id, indexed by shape.
    var identities: [String?]
    /// The units that have a stamp of their own.
    var registers: [Register] = []
    var wholes: [Whole] = []
    /// The register or whole that an edit of a slot belongs to, indexed by slot.
    var owners: [Owner] = []
    var references: [Reference] = []
    /// Slots of the attributes that are unique in the newest version.
    var uniqueSlots: [Int] = []
    /// Flows from a shape's slots to those of all other shapes, indexed by shape, nearest first.
    var flows: [[Flow]] = []
    /// The shapes that the server knows.
    var shapes: [Int] = []
    /// Flows from the slots that the server knows to slots of later versions only, nearest first; a migration applies
    /// them.
    var rise: [Flow] = []
    /// Steps that initialize the slots that a shape does not have, indexed by shape, nearest first.
    var beginnings: [[BeginningStep]] = []

    /// An attribute or to-one relationship of one version.
    struct Field: Sendable {
        let attribute: Schema.Attribute
        let slot: Int
        let isReference: Bool
    }

    enum Owner: Sendable {
        case register(Int)
        /// A form of a whole, which has no stamp: an edit of the whole is an edit of each of its parts.
        case whole(Int)
    }

    /// Attributes that stages link and that are edited as one, in all their forms; or one part of a whole, in all its
    /// forms.
    struct Register: Sendable {
        /// The slots of the register, those of older versions first. Values with equal stamps are compared in this
        /// order.
        let slots: [Int]
        /// The policy of the newest version that has the register; `ruling` is that version's shape and slot.
        let policy: MergePolicy
        let ruling: (shape: Int, slot: Int)
        /// The index of the whole that the register is a part of; `nil` if it is not a part.
        var whole: Int?
    }

    /// An attribute that a stage links with several parts, in all its forms.
    struct Whole: Sendable {
        let slots: [Int]
        /// Indices of the parts' registers.
        let parts: [Int]
        /// The slots of all parts, followed by those of the whole. Values with equal stamps are compared in this
        /// order.
        let linked: [Int]
        /// Flows from the parts' slots to all forms of the whole, nearest first.
        let back: [Flow]
    }

    /// A derivation of the values at `far` from the values at `near`, across one stage.
    struct Flow: Sendable {
        let near: [Int]
        let far: [Int]
        let convert: @Sendable ([Value]) -> [Value]
    }

    /// A step that gives a slot its first value.
    enum BeginningStep: Sendable {
        case fill(Int, Schema.Attribute, Default?)
        case follow(Flow)
        case copy(Int, from: Int)
    }

    /// A to-one relationship, by the newest version's rules.
    struct Reference: Sendable {
        let slot: Int
        /// The index of the kind that the relationship refers to.
        let target: Int
        /// True if the record is deleted with its target: the inverse relationship cascades.
        let goesWithTarget: Bool
        /// True if the target is deleted with the record: the relationship itself cascades.
        let takesTargetAlong: Bool
    }
}

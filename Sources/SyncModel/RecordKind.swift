import WireFormats

/// One entity in all its versions, with the rules by which a write in one version reaches the others.
///
/// A record contains the values that each version reads. Versions that have equal values of an attribute share its
/// *slot*, an index into the record's values. If their values may differ, each version has its own slot, and a *flow*
/// converts the value of one slot to the other.
struct RecordKind: Sendable {
    /// Entity names, indexed by shape; `nil` if the shape does not sync the entity.
    var names: [String?]
    /// Fields, indexed by shape, in declared order.
    var fields: [[Field]]
    /// Indices into `fields` by attribute name, indexed by shape.
    var fieldsByName: [[String: Int]] = []
    /// The names of the attributes that repeat the record's id, indexed by shape; `nil` if the shape has none.
    var identities: [String?]
    /// The units that are merged separately. Each has its own stamp.
    var registers: [Register] = []
    var wholes: [Whole] = []
    /// The register or whole that an edit of a slot belongs to, indexed by slot.
    var owners: [Owner] = []
    var references: [Reference] = []
    /// Slots of the attributes that are unique in the newest version.
    var uniqueSlots: [Int] = []
    /// Flows from a shape's slots to the slots of all other shapes, indexed by shape, nearest shapes first.
    var flows: [[Flow]] = []
    /// The shapes that the server knows.
    var shapes: [Int] = []
    /// Flows from the slots that the server knows to slots that only later versions have, nearest first. A migration of
    /// the server applies them.
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
        /// An attribute that a stage splits into parts. It has no stamp, because an edit of it is an edit of each part.
        case whole(Int)
    }

    /// A unit that is merged with one stamp. It is either a set of attributes that stages link, in all their versions,
    /// or one part of a whole (an attribute that a stage splits), in all its versions.
    struct Register: Sendable {
        /// The slots of the register, those of older versions first. Two values with equal stamps are compared slot by
        /// slot in this order.
        let slots: [Int]
        /// The policy of the newest version that has the register; `ruling` is that version's shape and slot.
        let policy: MergePolicy
        let ruling: (shape: Int, slot: Int)
        /// The index of the whole that the register is a part of; `nil` if it is not a part.
        var whole: Int?
    }

    /// An attribute that a stage splits into several parts, in all its versions.
    struct Whole: Sendable {
        let slots: [Int]
        /// Indices of the parts' registers.
        let parts: [Int]
        /// The slots of all parts, followed by those of the whole. Two values with equal stamps are compared slot by
        /// slot in this order.
        let linked: [Int]
        /// Flows from the parts' slots to the slots of the whole in all versions, nearest first.
        let back: [Flow]
    }

    /// The conversion of the values at `near` to the values at `far`, by one stage.
    struct Flow: Sendable {
        let near: [Int]
        let far: [Int]
        let convert: @Sendable ([Value]) -> [Value]
    }

    /// A step that gives a slot its initial value.
    enum BeginningStep: Sendable {
        case fill(Int, Schema.Attribute, Default?)
        case follow(Flow)
        case copy(Int, from: Int)
    }

    /// A to-one relationship, with the rules of the newest version that has it.
    struct Reference: Sendable {
        let slot: Int
        /// The index of the kind that the relationship refers to.
        let target: Int
        /// True if the deletion of the target deletes the record: the inverse relationship cascades.
        let goesWithTarget: Bool
        /// True if the deletion of the record deletes the target: the relationship itself cascades.
        let takesTargetAlong: Bool
    }
}

import WireFormats

/// One entity in all its versions, with the rules by which a write in one version changes the values that others read.
struct RecordKind: Sendable {
    /// The entity's name in each shape (version or variant), indexed by shape; `nil` where the entity is not synced.
    var names: [String?]
    /// The entity's fields in each shape (version or variant), indexed by shape, in declared order.
    var fields: [[Field]]
    /// For each shape (version or variant), the index of each field in `fields`, by attribute name.
    var fieldsByName: [[String: Int]] = []
    /// For each shape (version or variant), the name of the attribute that repeats the record's id; `nil` if it has
    /// none.
    var identities: [String?]
    /// The sets of attributes that are merged as one unit. Each has a stamp of its own.
    var registers: [Register] = []
    var wholes: [Whole] = []
    /// The register or whole that an edit of each slot belongs to, indexed by slot (the index of a value in a record).
    var owners: [Owner] = []
    var references: [Reference] = []
    /// The slots (indices of values in a record) of the attributes that are unique in the newest version.
    var uniqueSlots: [Int] = []
    /// For each shape (version or variant), the conversions that derive the values of all other shapes from its own
    /// values. Those to the nearest shapes come first.
    var flows: [[Flow]] = []
    /// The indices of the shapes (versions and variants) that the server knows.
    var shapes: [Int] = []
    /// The conversions of values that the server knows to values that only later versions have, nearest versions first.
    /// A migration of the server applies them.
    var rise: [Flow] = []
    /// For each shape (version or variant), the steps that give initial values to the attributes that it does not have,
    /// if it creates the record. Those for the nearest shapes come first.
    var beginnings: [[BeginningStep]] = []

    /// An attribute or to-one relationship of one version.
    struct Field: Sendable {
        let attribute: Schema.Attribute
        let slot: Int
        let isReference: Bool
    }

    enum Owner: Sendable {
        case register(Int)
        /// An attribute that a stage splits into parts. It has no stamp of its own, because an edit of it is an edit of
        /// each part.
        case whole(Int)
    }

    /// A unit with one stamp, whose attributes are merged together. It contains attributes that stages link, in all
    /// their versions; or one part of a whole (an attribute that a stage splits), in all its versions.
    struct Register: Sendable {
        /// The slots (indices of values in a record) of the register, those of older versions first. Values with equal
        /// stamps are compared slot by slot in this order.
        let slots: [Int]
        /// The merge policy in the newest version that has the register. `ruling` is that version's index, and its
        /// slot.
        let policy: MergePolicy
        let ruling: (shape: Int, slot: Int)
        /// The index of the whole (an attribute that a stage splits) of which the register is a part; `nil` if it is
        /// not a part.
        var whole: Int?
    }

    /// An attribute that a stage splits into several parts, in all its versions.
    struct Whole: Sendable {
        let slots: [Int]
        /// The indices of the registers of the parts.
        let parts: [Int]
        /// The slots (indices of values in a record) of all parts, followed by those of the whole. Values with equal
        /// stamps are compared slot by slot in this order.
        let linked: [Int]
        /// The conversions of the parts' values to the values of the whole, in all its versions, nearest versions
        /// first.
        let back: [Flow]
    }

    /// The conversion, by one stage, of the values at the slots `near` to the values at the slots `far`. A slot is the
    /// index of a value in a record.
    struct Flow: Sendable {
        let near: [Int]
        let far: [Int]
        let convert: @Sendable ([Value]) -> [Value]
    }

    /// A step that gives one or more slots (indices of values in a record) their initial values.
    enum BeginningStep: Sendable {
        case fill(Int, Schema.Attribute, Default?)
        case follow(Flow)
        case copy(Int, from: Int)
    }

    /// A to-one relationship, with the delete rules of the newest version that has it.
    struct Reference: Sendable {
        let slot: Int
        /// The index of the kind (an entity in all its versions) to which the relationship refers.
        let target: Int
        /// True if the deletion of the target also deletes the record, because the inverse relationship cascades.
        let goesWithTarget: Bool
        /// True if the deletion of the record also deletes the target, because this relationship cascades.
        let takesTargetAlong: Bool
    }
}

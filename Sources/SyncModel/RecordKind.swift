import WireFormats

/// One entity in all its versions, with the rules by which a write in one version changes the values that others read.
struct RecordKind: Sendable {
    /// The entity's name in each shape (version or variant), indexed by shape; `nil` where the entity is not synced.
    var names: [String?]
    /// The entity's fields in each shape (version or variant), indexed by shape, in declared order.
    var fields: [[Field]]
    /// For each shape (version or variant), a dictionary from attribute names to indices in `fields`.
    var fieldsByName: [[String: Int]] = []
    /// For each schema shape (version or variant), the name of the attribute that contains the record's id; `nil` if no
    /// attribute does.
    var identities: [String?]
    /// The sets of attributes that are merged as one unit. Each has a stamp of its own.
    var registers: [Register] = []
    var wholes: [Whole] = []
    /// For each slot (the index of a value in a record), the owner of its attribute: a register or a whole. A register
    /// is a set of attributes with one stamp. A whole is an attribute that a stage (migration step) splits into parts,
    /// which are registers.
    var owners: [Owner] = []
    var references: [Reference] = []
    /// The slots (indices of values in a record) of the attributes that are unique in the newest version.
    var uniqueSlots: [Int] = []
    /// For each shape (version or variant), the conversions from its own values to the values of all other shapes.
    /// Conversions to the nearest shapes come first.
    var flows: [[Flow]] = []
    /// The indices of the shapes (versions and variants) that the server knows.
    var shapes: [Int] = []
    /// The conversions that a migration of the server applies to stored records. They compute the values that only the
    /// newly known versions have. Conversions to the nearest versions come first.
    var rise: [Flow] = []
    /// For each schema shape (version or variant), the steps that complete a record created in that shape. They give
    /// initial values to the attributes that only other shapes have. Steps for the nearest shapes come first.
    var beginnings: [[BeginningStep]] = []

    /// An attribute or to-one relationship of one version.
    struct Field: Sendable {
        let attribute: Schema.Attribute
        let slot: Int
        let isReference: Bool
    }

    enum Owner: Sendable {
        case register(Int)
        /// An attribute that a stage (migration step) splits into parts, by its index in `wholes`. It has no stamp of
        /// its own: an edit of it counts as an edit of each part.
        case whole(Int)
    }

    /// A set of attributes that are merged as one unit and have one stamp.
    ///
    /// Usually it is one attribute in all versions of the app, with all forms into which stages (migration steps)
    /// convert it. If a stage splits an attribute into parts, each part is a register of its own.
    struct Register: Sendable {
        /// The slots (indices of values in a record) of the register, those of older versions first. Values with equal
        /// stamps are compared slot by slot in this order.
        let slots: [Int]
        /// The merge policy that the newest version with this register declares. `ruling` contains that version, and
        /// the slot of its attribute.
        let policy: MergePolicy
        let ruling: (shape: Int, slot: Int)
        /// The index in `wholes` of the attribute of which this register is a part; `nil` if it is not a part.
        var whole: Int?
    }

    /// An attribute that a stage splits into several parts, in all its versions.
    struct Whole: Sendable {
        let slots: [Int]
        /// The parts into which the attribute is split, as indices in the entity's `registers`.
        let parts: [Int]
        /// The slots (indices of values in a record) of all parts, followed by the attribute's own slots. Edits with
        /// equal stamps are compared in this order.
        let linked: [Int]
        /// The conversions that compute the attribute's values in all versions from the values of the parts.
        /// Conversions to the nearest versions come first.
        let back: [Flow]
    }

    /// A conversion that a stage (migration step) applies. It derives the values at the slots `far` from the values at
    /// the slots `near`. A slot is the index of a value in a record.
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

/// A conversion between two types, where one type can express every value of the other. The column has this type, and
/// both the older and the newer version use the column.
struct ConvertedView: Sendable {
    let mapping: ValueMapping
    /// True if the column holds the newer version's form, and the older version's value is computed from it. False if
    /// it holds the older version's form.
    let columnIsNewer: Bool

    func narrowed(_ value: Value) throws(LensFailure) -> Value {
        try (columnIsNewer ? mapping.down : mapping.up)([value])[0]
    }

    func widened(_ value: Value) throws(LensFailure) -> Value {
        try (columnIsNewer ? mapping.up : mapping.down)([value])[0]
    }
}

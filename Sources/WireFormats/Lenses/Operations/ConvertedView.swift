/// A conversion between two types, one of which can express every value of the other. One column of this richer type
/// serves both versions.
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

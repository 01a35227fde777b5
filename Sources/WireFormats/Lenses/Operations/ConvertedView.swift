/// A conversion to a richer type, which can express every value of the other type, so that one column of that type
/// serves both versions.
struct ConvertedView: Sendable {
    let mapping: ValueMapping
    /// True if the column contains the newer form, so that the older version's value is computed; otherwise the other
    /// way round.
    let columnIsNewer: Bool

    func narrowed(_ value: Value) throws(LensFailure) -> Value {
        try (columnIsNewer ? mapping.down : mapping.up)([value])[0]
    }

    func widened(_ value: Value) throws(LensFailure) -> Value {
        try (columnIsNewer ? mapping.up : mapping.down)([value])[0]
    }
}

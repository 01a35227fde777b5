/// A conversion that keeps everything, so that one column of the richer type serves both versions.
struct ConvertedView: Sendable {
    let mapping: ValueMapping
    /// True if the column holds the newer form, so that the older version's view is computed.
    let columnIsNewer: Bool

    func narrowed(_ value: Value) throws(LensFailure) -> Value {
        try (columnIsNewer ? mapping.down : mapping.up)([value])[0]
    }

    func widened(_ value: Value) throws(LensFailure) -> Value {
        try (columnIsNewer ? mapping.up : mapping.down)([value])[0]
    }
}

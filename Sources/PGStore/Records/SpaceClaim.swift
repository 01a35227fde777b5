/// What `Spaces.claiming` found in a space's row, and left there.
package struct SpaceClaim: Sendable {
    /// As it was before.
    package let state: SpaceState
    /// Whether stamps of the space may have been brought back.
    package let mayHaveClamps: Bool
    /// The head that the row has now.
    package let head: Int64

    /// - Parameter rows: one, as `Spaces.claiming` returns it.
    package init(_ rows: Rows) {
        state = SpaceState(rows)
        mayHaveClamps = rows.bool(0, 4)
        head = rows.int(0, 5)
    }
}

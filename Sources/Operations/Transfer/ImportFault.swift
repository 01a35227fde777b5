/// A record that was not imported, and the reason.
package struct ImportFault: Hashable, Sendable {
    /// The number of the line or row, from 1.
    package let place: Int
    package let reason: String

    package init(place: Int, reason: String) {
        self.place = place
        self.reason = reason
    }
}

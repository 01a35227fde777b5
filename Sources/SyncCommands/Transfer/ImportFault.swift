/// A record that was not imported, and why.
package struct ImportFault: Hashable, Sendable {
    /// The line or row, from 1.
    package let place: Int
    package let reason: String

    package init(place: Int, reason: String) {
        self.place = place
        self.reason = reason
    }
}

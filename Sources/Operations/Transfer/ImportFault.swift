/// A record that was not imported, and the reason.
package struct ImportFault: Hashable, Sendable {
    /// The number of the file's line or row that has the record, from 1.
    package let position: Int
    package let reason: String

    package init(position: Int, reason: String) {
        self.position = position
        self.reason = reason
    }
}

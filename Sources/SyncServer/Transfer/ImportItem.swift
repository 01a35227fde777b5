/// One record to import: a create as it is pushed, and where it was read.
package struct ImportItem: Sendable {
    /// The line of an export, or the row of another file, from 1.
    package let place: Int
    /// A change object.
    package let change: [UInt8]

    package init(place: Int, change: [UInt8]) {
        self.place = place
        self.change = change
    }
}

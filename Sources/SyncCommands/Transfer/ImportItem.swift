/// One record to import: a create as it is pushed, and where it was read.
package struct ImportItem: Sendable {
    /// The line of an export, or the row of another file, from 1.
    package let place: Int
    /// A change object.
    package let change: [UInt8]
    /// Further changes of the record, each with a stamp of its own: what was edited since.
    package let edits: [[UInt8]]

    package init(place: Int, change: [UInt8], edits: [[UInt8]] = []) {
        self.place = place
        self.change = change
        self.edits = edits
    }

    /// In the order in which they are pushed.
    var changes: [[UInt8]] { edits + [change] }
}

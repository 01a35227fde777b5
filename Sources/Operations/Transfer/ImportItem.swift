/// One record to import: a create in the form of a push, and its location in the file.
package struct ImportItem: Sendable {
    /// The line of an export, or the row of another file, from 1.
    package let position: Int
    /// The change object, as JSON.
    package let change: [UInt8]
    /// Further changes of the record, each with a stamp of its own: the later edits.
    package let edits: [[UInt8]]

    package init(position: Int, change: [UInt8], edits: [[UInt8]] = []) {
        self.position = position
        self.change = change
        self.edits = edits
    }

    /// All changes in the order in which they are pushed.
    var changes: [[UInt8]] { edits + [change] }
}

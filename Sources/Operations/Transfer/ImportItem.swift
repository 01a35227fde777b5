/// One record to import, as changes in the form of a push, and its position in the file.
package struct ImportItem: Sendable {
    /// The number of the line of an export, or of the row of another file, from 1.
    package let position: Int
    /// The record's create, or its earliest update if it was never created, as a JSON object.
    package let change: [UInt8]
    /// The later updates of the record as JSON objects, each with its own stamp.
    package let edits: [[UInt8]]

    package init(position: Int, change: [UInt8], edits: [[UInt8]] = []) {
        self.position = position
        self.change = change
        self.edits = edits
    }

    /// All changes in the order in which they are pushed.
    var changes: [[UInt8]] { edits + [change] }
}

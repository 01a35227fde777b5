/// One record to import, as changes in the form of a push, and its position in the file.
package struct ImportItem: Sendable {
    /// The number of the file's line (in an export) or row (in another file), from 1.
    package let position: Int
    /// The record's create as a JSON object; if no create is known, its earliest update.
    package let change: [UInt8]
    /// The later updates of the record as JSON objects, each with its own stamp.
    package let edits: [[UInt8]]

    package init(position: Int, change: [UInt8], edits: [[UInt8]] = []) {
        self.position = position
        self.change = change
        self.edits = edits
    }

    /// All changes of the record, in the order in which they are pushed.
    var changes: [[UInt8]] { edits + [change] }
}

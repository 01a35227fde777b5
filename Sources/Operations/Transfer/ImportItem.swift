/// One record to import: its position in the file, and the changes that create it, in the JSON form in which devices
/// push changes.
package struct ImportItem: Sendable {
    /// The number of the file's line (in an export) or row (in another file), from 1.
    package let position: Int
    /// The change that creates the record, as a JSON object. If the record's creation is not known, this is its
    /// earliest update.
    package let change: [UInt8]
    /// The record's later updates, as JSON objects. Each has its own stamp.
    package let edits: [[UInt8]]

    package init(position: Int, change: [UInt8], edits: [[UInt8]] = []) {
        self.position = position
        self.change = change
        self.edits = edits
    }

    /// All changes of the record, in the order in which they are pushed: `edits` first, then `change`.
    var changes: [[UInt8]] { edits + [change] }
}

/// The reason why an export or import is impossible as a whole, explained in full.
package struct TransferError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The reason why a whole export or import is impossible. `description` explains it in full.
package struct TransferError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

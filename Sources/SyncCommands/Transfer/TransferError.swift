/// Why an export or import cannot be done at all, said in full.
package struct TransferError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

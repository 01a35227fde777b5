/// The reason why a file from before the app's models had versions, or one of its rows, cannot be read.
public struct LegacyFault: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Makes a fault.
    ///
    /// - Parameter description: the reason, as a sentence for the person who imports the file.
    public init(_ description: String) {
        self.description = description
    }
}

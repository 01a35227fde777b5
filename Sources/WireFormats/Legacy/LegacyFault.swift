/// The reason why a file from before the app's models had versions, or one of its rows, cannot be read.
public struct LegacyFault: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

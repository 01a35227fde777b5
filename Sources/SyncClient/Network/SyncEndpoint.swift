public import Foundation

/// Where a device's space is.
public struct SyncEndpoint: Sendable {
    /// The server, such as `https://sync.example.com`.
    public let server: URL
    /// A UUID in text, or `me`.
    public let space: String

    public init(server: URL, space: String = "me") {
        self.server = server
        self.space = space
    }
}

/// Who a device is to the server: asked for a token before the first request, and again when one was refused.
public protocol SyncCredentials: Sendable {
    /// - Parameter refused: the token that the server takes no more; `nil` at first.
    /// - Returns: a bearer token; `nil` where the user must sign in.
    func token(replacing refused: String?) async throws -> String?
}

/// A token that does not change.
public struct FixedToken: SyncCredentials {
    private let text: String

    public init(_ token: String) { text = token }

    public func token(replacing refused: String?) -> String? { refused == nil ? text : nil }
}

public import Foundation

/// The address of a device's space: a server, and a space on it.
public struct SyncEndpoint: Sendable {
    /// The server, such as `https://sync.example.com`.
    public let server: URL
    /// The space's UUID as text, or `me`.
    public let space: String

    public init(server: URL, space: String = "me") {
        self.server = server
        self.space = space
    }
}

/// A source of bearer tokens. The store asks for a token before the first request, and again after one was refused.
public protocol SyncCredentials: Sendable {
    /// Returns a token for the next requests.
    ///
    /// - Parameter refused: the token that the server no longer accepts; `nil` at first.
    /// - Returns: a bearer token; `nil` if the user must sign in.
    func token(replacing refused: String?) async throws -> String?
}

/// Credentials with one token that does not change.
public struct FixedToken: SyncCredentials {
    private let text: String

    public init(_ token: String) { text = token }

    public func token(replacing refused: String?) -> String? { refused == nil ? text : nil }
}

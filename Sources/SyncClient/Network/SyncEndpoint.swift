public import Foundation

/// The address of a device's space: a server, and a space on it.
///
/// ```swift
/// let own = SyncEndpoint(server: url)                                              // the user's personal space
/// let shared = SyncEndpoint(server: url, space: "00000000-0000-4000-8000-000000000001")
/// ```
public struct SyncEndpoint: Sendable {
    /// The server, such as `https://sync.example.com`.
    public let server: URL
    /// The space's UUID as text, or `me` for the user's personal space.
    public let space: String

    /// Makes an address.
    ///
    /// - Parameters:
    ///   - server: the server, such as `https://sync.example.com`.
    ///   - space: the space's UUID as text; `me`, the default, is the user's personal space.
    public init(server: URL, space: String = "me") {
        self.server = server
        self.space = space
    }
}

/// A source of bearer tokens. The store asks for a token before the first request, and again after one was refused.
///
/// ```swift
/// struct Session: SyncCredentials {
///     let signIn: @Sendable () async throws -> String?
///
///     func token(replacing refused: String?) async throws -> String? { try await signIn() }
/// }
/// ```
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

    /// Makes credentials.
    ///
    /// - Parameter token: a bearer token.
    public init(_ token: String) { text = token }

    /// Returns the token; `nil` once the server has refused it, so that the user must sign in.
    public func token(replacing refused: String?) -> String? { refused == nil ? text : nil }
}

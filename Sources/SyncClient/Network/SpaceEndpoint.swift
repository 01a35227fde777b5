public import Foundation
import WireFormats

/// The address of a space, with a token that gives access to it.
public struct SpaceEndpoint: Sendable {
    /// The server, such as `http://127.0.0.1:8080`.
    package let server: URL
    package let app: String
    /// The space's UUID as text, or `me` for the user's personal space.
    package let space: String
    /// The bearer token.
    package let token: String

    /// Makes an address.
    ///
    /// - Parameters:
    ///   - server: the server, such as `https://sync.example.com`.
    ///   - app: the app's name in URLs.
    ///   - space: the space's UUID as text, or `me` for the user's personal space.
    ///   - token: a bearer token that gives access to the space.
    public init(server: URL, app: String, space: String, token: String) {
        self.server = server
        self.app = app
        self.space = space
        self.token = token
    }

    /// Returns the URL `…/v1/apps/{app}/spaces/{space}/{action}`.
    func url(_ action: String, query: [URLQueryItem] = []) -> URL {
        let path = Endpoint.space.path(app: app, space: space).dropFirst() + "/" + action
        let url = server.appending(path: String(path))
        return query.isEmpty ? url : url.appending(queryItems: query)
    }
}

public import Foundation

/// The address of a space, with a token that gives access to it.
public struct SpaceEndpoint: Sendable {
    /// The server, such as `http://127.0.0.1:8080`.
    public let server: URL
    public let app: String
    /// The space's UUID as text, or `me`.
    public let space: String
    /// The bearer token.
    public let token: String

    public init(server: URL, app: String, space: String, token: String) {
        self.server = server
        self.app = app
        self.space = space
        self.token = token
    }

    /// Returns the URL `…/v1/apps/{app}/spaces/{space}/{action}`.
    func url(_ action: String, query: [URLQueryItem] = []) -> URL {
        let url = server.appending(path: "v1/apps/\(app)/spaces/\(space)/\(action)")
        return query.isEmpty ? url : url.appending(queryItems: query)
    }
}

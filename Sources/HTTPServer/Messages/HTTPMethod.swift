/// A request method (RFC 9110 section 9). Methods are case-sensitive: `get` is not `GET`.
package enum HTTPMethod: Hashable, Sendable {
    case get, post, put, delete, head, options
    /// Any other method, as the name that was sent.
    case other(String)

    package init(_ token: String) {
        self =
            switch token {
            case "GET": .get
            case "POST": .post
            case "PUT": .put
            case "DELETE": .delete
            case "HEAD": .head
            case "OPTIONS": .options
            default: .other(token)
            }
    }

    /// The method's name as it appears in a request line, such as `GET`.
    package var token: String {
        switch self {
        case .get: "GET"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .head: "HEAD"
        case .options: "OPTIONS"
        case .other(let token): token
        }
    }
}

import HTTPServer
import StrictJSON
import SyncEngine

/// A body that is a small JSON object of known members.
struct SmallBody {
    private let root: JSONNode?

    /// The maximum size of a small body, in bytes. The largest valid one accepts an invitation, with a secret of some
    /// fifty characters.
    static let sizeMaxBytes = 4 << 10

    /// Parses a request's body and checks the names of its members.
    ///
    /// - Parameter members: the names of the allowed members. An empty body counts as an object without members.
    /// - Throws: `Problem`, `JSONError`.
    init(_ request: HTTPRequest, members: [JSONKey]) throws {
        guard request.body.count <= SmallBody.sizeMaxBytes else {
            throw Problem.tooLarge("A body has at most \(SmallBody.sizeMaxBytes) bytes here.")
        }
        if request.body.isEmpty {
            root = nil
            return
        }
        try request.expectJSON()
        let root = try JSONDocument(parsing: request.body, limits: JSONDocument.Limits()).root
        guard let found = root.members else { throw Problem.malformed("The body must be an object.") }
        for member in found where !members.contains(where: { member.hasKey($0) }) {
            let known = members.isEmpty ? "none" : members.map { "‘\($0)’" }.joined(separator: ", ")
            throw Problem.malformed("The body has the member ‘\(shortened(member.key))’; there is \(known).")
        }
        self.root = root
    }

    /// Returns the text member of that name.
    ///
    /// - Throws: `Problem` if the member is missing or not a text.
    func text(_ name: JSONKey) throws -> String {
        guard let text = root?[name]?.string else { throw Problem.malformed("‘\(name)’ must be a text.") }
        return text
    }

    func role(_ name: JSONKey) throws -> SpaceRole {
        let text = try text(name)
        guard let role = SpaceRole(rawValue: text) else {
            let known = SpaceRole.allCases.map { "‘\($0.rawValue)’" }.joined(separator: ", ")
            throw Problem.malformed("‘\(name)’ must be one of \(known).")
        }
        return role
    }

    /// Returns the integer member of that name, within `range`; `nil` if it is missing or null.
    func number(_ name: JSONKey, in range: ClosedRange<Int64>) throws -> Int64? {
        guard let node = root?[name], !node.isNull else { return nil }
        guard let number = node.int64 ?? node.double.flatMap({ Int64(exactly: $0) }), range.contains(number) else {
            throw Problem.malformed("‘\(name)’ must be an integer from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

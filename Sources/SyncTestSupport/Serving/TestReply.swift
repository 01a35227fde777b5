import SyncSimulator
package import WireFormats

/// An HTTP response of the server.
package struct TestReply: Sendable {
    package let status: Int
    /// Header values by lower-case name.
    package let headers: [String: String]
    package let body: [UInt8]

    init(_ reply: HTTPReply) {
        (status, headers, body) = (reply.status, reply.headers, reply.body)
    }

    package subscript(header: String) -> String? { headers[header.lowercased()] }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; null if it is not JSON.
    package var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

    /// Returns true if the reply is an error response with this problem code.
    package func isProblem(_ code: ProblemCode) -> Bool { isProblem(code.status, code.rawValue) }

    /// Returns true if the reply is an error response in the form of RFC 9457, with this status, this `code` and a
    /// title.
    package func isProblem(_ status: Int, _ code: String) -> Bool {
        self.status == status && self["content-type"] == MediaType.problem && json["code"].string == code
            && json["status"] == .int(Int64(status)) && json["title"].string?.isEmpty == false
    }
}

extension TestReply: CustomStringConvertible {
    package var description: String { "\(status) \(text.prefix(500))" }
}

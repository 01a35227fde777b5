/// What a server answered.
package struct TestReply: Sendable {
    package let status: Int
    /// By lower-case name.
    package let headers: [String: String]
    package var body: [UInt8] = []

    /// `nil` for what is no head of a response.
    init?(head: String) {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        self.status = status
        self.headers = headers
    }

    package subscript(header: String) -> String? { headers[header.lowercased()] }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body's value; null for what is not JSON.
    package var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

    /// Whether it is a problem as RFC 9457 has it, with our `code` and a `detail` or title for people.
    package func isProblem(_ status: Int, _ code: String) -> Bool {
        self.status == status && self["content-type"] == "application/problem+json" && json["code"].string == code
            && json["status"] == .int(Int64(status)) && json["title"].string?.isEmpty == false
    }
}

extension TestReply: CustomStringConvertible {
    package var description: String { "\(status) \(text.prefix(500))" }
}

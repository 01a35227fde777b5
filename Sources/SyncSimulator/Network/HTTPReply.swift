/// An HTTP response of the server.
package struct HTTPReply: Sendable {
    package let status: Int
    /// Header values by lower-case name.
    package let headers: [String: String]
    package var body: [UInt8] = []

    /// Parses the status line and headers of a response; `nil` if they are malformed.
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
}

extension HTTPReply: CustomStringConvertible {
    package var description: String { "\(status) \(String(decoding: body.prefix(500), as: UTF8.self))" }
}

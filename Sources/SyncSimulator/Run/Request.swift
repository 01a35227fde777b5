import WireFormats

/// A request of a device, as it is on its way: what the device may have done since does not change it.
struct Request {
    /// What it is known by in the simulation.
    let number: Int
    let device: Int
    /// Who the device was: an answer to somebody else is not taken in.
    let sender: ID
    /// The version that it speaks.
    let version: Int
    /// What it pushes; `nil` for a pull.
    let changes: [Change]?
    /// Whether it says that the changes are whole records.
    let isWhole: Bool
    let pulls: Bool
    /// Whether the pull continues one in the same version that came to its end, so that it may tell only news.
    let isPlain: Bool
    let cursor: String?
    let bytes: [UInt8]

    /// Whether to send it again tells what became of it before: not of changes without stamps, each time others.
    var isRepeatable: Bool { changes?.allSatisfy(\.isStamped) ?? true }
}

/// A request that arrives later.
struct HeldRequest {
    let request: Request
    /// Whether its device waits for it.
    let isAwaited: Bool
}

/// Where the requests of a run go.
struct Route {
    let app: String
    let space: ID
    let token: String

    func bytes(
        _ action: String, header: String, device: ID?, cursor: String?, limit: Int?, withStamps: Bool = false,
        isWhole: Bool = false, body: [UInt8]?
    ) -> [UInt8] {
        var headers = ["Authorization: Bearer \(token)", "Schema-Version: \(header)"]
        if let device { headers.append("Device-Id: \(device)") }
        if isWhole { headers.append("Change-Mode: whole") }
        if body != nil { headers.append("Content-Type: application/json") }
        var query: [String] = []
        if body == nil {
            if let cursor { query.append("cursor=\(cursor)") }
            if let limit { query.append("limit=\(limit)") }
            if withStamps { query.append("stamps=true") }
        }
        let target = "/v1/apps/\(app)/spaces/\(space)/\(action)" + (query.isEmpty ? "" : "?")
        return HTTPConnection.request(
            body == nil ? "GET" : "POST", target + query.joined(separator: "&"), headers: headers, body: body)
    }
}

import WireFormats

/// A request of a device on its way to the server. Later actions of the device do not change it.
struct Request {
    /// The request's identifier in the simulation.
    let number: Int
    let device: Int
    /// The device's id when it sent the request. An answer for another id is ignored.
    let sender: ID
    /// The version of the request.
    let version: Int
    /// The changes of a push or sync; `nil` for a pull.
    let changes: [Change]?
    /// True if the request declares its changes as whole records.
    let isWhole: Bool
    let pulls: Bool
    /// True if the pull continues a completed pull in the same version, so that its pages may contain only records that
    /// have changed since.
    let isPlain: Bool
    let cursor: String?
    let bytes: [UInt8]

    /// True if sending the request again shows the verdicts of its first delivery. False for changes without stamps,
    /// because the server treats each arrival of one as another change.
    var isRepeatable: Bool { changes?.allSatisfy(\.isStamped) ?? true }
}

/// A request that the simulated network delays and delivers later.
struct HeldRequest {
    let request: Request
    /// True if the request's device waits for the answer.
    let isAwaited: Bool
}

/// The destination of a run's requests, and the credentials for it.
struct Route {
    let app: String
    let space: ID
    let token: String

    func bytes(
        _ action: String, header: String, device: ID?, cursor: String?, limit: Int?, withStamps: Bool = false,
        isWhole: Bool = false, body: [UInt8]?
    ) -> [UInt8] {
        var headers = ["\(HeaderName.authorization): Bearer \(token)", "\(HeaderName.schemaVersion): \(header)"]
        if let device { headers.append("\(HeaderName.deviceID): \(device)") }
        if isWhole { headers.append("\(HeaderName.changeMode): \(ChangeModeName.whole.rawValue)") }
        if body != nil { headers.append("Content-Type: \(MediaType.json)") }
        var query: [String] = []
        if body == nil {
            if let cursor { query.append("\(QueryParameter.cursor)=\(cursor)") }
            if let limit { query.append("\(QueryParameter.limit)=\(limit)") }
            if withStamps { query.append("\(QueryParameter.stamps)=true") }
        }
        let target = Endpoint.space.path(app: app, space: space.description) + "/\(action)" + (query.isEmpty ? "" : "?")
        return HTTPConnection.request(
            body == nil ? "GET" : "POST", target + query.joined(separator: "&"), headers: headers, body: body)
    }
}

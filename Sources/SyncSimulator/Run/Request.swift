import WireFormats

/// A request of a device, as it was sent. Later actions of the device do not change it.
struct Request {
    /// The request's identifier in the simulation.
    let number: Int
    let device: Int
    /// The id that the device had when it sent the request. If the device has another id when the answer arrives, it
    /// ignores the answer.
    let sender: ID
    /// The index of the request's version in the plan's `shapes`.
    let version: Int
    /// The changes of a push or sync; `nil` for a pull.
    let changes: [Change]?
    /// True if the request declares its changes as whole records.
    let isWhole: Bool
    let pulls: Bool
    /// True if the pull continues a completed pull in the same version. Then its pages may contain only records that
    /// have changed since.
    let isPlain: Bool
    let cursor: String?
    let bytes: [UInt8]

    /// True if sending the request again returns the verdicts of the first delivery. This is not so if a change has no
    /// stamp, because the server treats each arrival of such a change as a new one.
    var isRepeatable: Bool { changes?.allSatisfy(\.isStamped) ?? true }
}

/// A request that the network of the simulation holds back, and delivers later.
struct HeldRequest {
    let request: Request
    /// True if the request's device waits for the answer, and sends nothing else meanwhile.
    let isAwaited: Bool
}

/// The destination of all requests of a run: the space, with a token for it.
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

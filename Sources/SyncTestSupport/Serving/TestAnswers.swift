import WireFormats

/// The server's answer to a push, for tests.
package struct TestPushAnswer: Sendable {
    /// The verdict on each change, in the order in which the changes were sent.
    package let verdicts: [String]
    /// The names of the attributes that a `merged` change could not set, by the change's index in the push.
    package let kept: [Int: [String]]
    /// The error code of each `rejected` change, by the change's index.
    package let codes: [Int: String]
    /// The id of the record that already has the unique value of a `rejected` change, by the change's index.
    package let holders: [Int: String]
    /// The ids of the records because of which a deletion was `rejected`, by the deletion's index in the push.
    package let children: [Int: [String]]
    /// The stamps by which the server replaced stamps that were too far ahead, by the change's index.
    package let stamps: [Int: Int64]
    package let applied: Int64
    package let cursor: String
    package let head: Int64

    init(_ reply: TestReply, count: Int) {
        let json = reply.json
        var verdicts = Array(repeating: VerdictName.applied.rawValue, count: count)
        var kept: [Int: [String]] = [:]
        var codes: [Int: String] = [:]
        var holders: [Int: String] = [:]
        var children: [Int: [String]] = [:]
        var stamps: [Int: Int64] = [:]
        for result in json["results"].elements {
            guard let index = result["index"].int.map({ Int($0) }), index < count else { continue }
            verdicts[index] = result["verdict"].string ?? "?"
            if !result["kept"].isNull { kept[index] = result["kept"].elements.compactMap(\.string) }
            if let code = result["code"].string { codes[index] = code }
            if let holder = result["holder"].string { holders[index] = holder }
            if !result["children"].isNull { children[index] = result["children"].elements.compactMap(\.string) }
            if let stamp = result["stamp"].int { stamps[index] = stamp }
        }
        self.verdicts = verdicts
        self.kept = kept
        self.codes = codes
        self.holders = holders
        self.children = children
        self.stamps = stamps
        applied = json["applied"].int ?? -1
        cursor = json["cursor"].string ?? ""
        head = reply[HeaderName.syncHead.lowercased()].flatMap { Int64($0) } ?? -1
    }
}

/// A page of changes: the server's parsed answer to a pull.
package struct Page: Sendable {
    package let changes: [JSONValue]
    package let cursor: String
    package let more: Bool
    package let head: Int64

    init(_ reply: TestReply) {
        let json = reply.json
        changes = json["changes"].elements
        cursor = json["cursor"].string ?? ""
        more = json["more"].bool ?? false
        head = reply[HeaderName.syncHead.lowercased()].flatMap { Int64($0) } ?? -1
    }

    /// The sequence numbers of the records, in the order of the page.
    package var numbers: [Int64] { changes.map { $0["seq"].int ?? -1 } }
}

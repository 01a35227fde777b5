import StrictJSON
import WireFormats

/// An answer of the server that does not follow the protocol.
package struct UnexpectedAnswer: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A server's answer with status 200. It is read to its end, and checked against the protocol, before anything of it is
/// applied.
struct ServerAnswer {
    /// The server's time, in milliseconds since 1970.
    let milliseconds: Int64
    let time: Timestamp
    /// The verdict on each pushed change, by the change's index in the push. A change without an entry was applied.
    private(set) var results: [Int: PushResult] = [:]
    /// The page of records in the answer to a pull or a sync; `nil` in the answer to an offer.
    private(set) var page: Page?

    /// A page of records, with the cursor for reading the next page.
    struct Page {
        let records: [(key: RecordKey, record: KnownRecord)]
        let cursor: String
        let hasMore: Bool
    }

    /// The greatest size of a cursor that is accepted from a server, in bytes. Cursors are part of URLs, and have 300
    /// bytes at most in the present release.
    static let cursorMaxBytes = 2_048

    /// Reads an answer, and checks it against the protocol.
    ///
    /// - Throws: `UnexpectedAnswer`.
    init(_ root: JSONNode, to request: SyncRequest, _ schema: SyncSchema) throws {
        guard let text = root[BodyMember.serverTime]?.string, let time = try? Timestamp(text) else {
            throw UnexpectedAnswer("it has no ‘serverTime’")
        }
        milliseconds = time.microseconds / 1000
        guard milliseconds == DeviceClock.bounded(milliseconds) else {
            throw UnexpectedAnswer("its ‘serverTime’ is \(text.prefix(40)), when stamps are none")
        }
        self.time = time
        if request.kind != .pull { results = try ServerAnswer.results(root, count: request.sentCount) }
        if request.kind != .offer { page = try ServerAnswer.page(root, request, schema) }
    }

    // MARK: Verdicts

    /// Reads the verdicts that an answer lists, by the index of the change in the push. The changes that it does not
    /// list were applied. The answer's number of applied changes must agree with the list.
    private static func results(_ root: JSONNode, count: Int) throws -> [Int: PushResult] {
        guard let entries = root[BodyMember.results]?.elements, let applied = root[BodyMember.applied]?.int64 else {
            throw UnexpectedAnswer("it has no ‘results’, or no ‘applied’")
        }
        var results: [Int: PushResult] = [:]
        for entry in entries {
            guard let index = entry[BodyMember.index]?.int64.flatMap({ Int(exactly: $0) }), (0..<count).contains(index)
            else {
                throw UnexpectedAnswer("a result is about no change")
            }
            guard results.updateValue(try PushResult(entry), forKey: index) == nil else {
                throw UnexpectedAnswer("change \(index) has two results")
            }
        }
        let others = results.values.count { $0.verdict != .applied }
        guard applied == count - others else {
            throw UnexpectedAnswer("\(applied) of \(count) changes are said to be applied, and \(others) not")
        }
        return results
    }

    // MARK: Pages

    private static func page(_ root: JSONNode, _ request: SyncRequest, _ schema: SyncSchema) throws -> Page {
        guard let changes = root[BodyMember.changes]?.elements, let cursor = root[BodyMember.cursor]?.string,
            let more = root[BodyMember.more]?.bool
        else { throw UnexpectedAnswer("a page lacks ‘changes’, ‘cursor’ or ‘more’") }
        guard isCursor(cursor) else { throw UnexpectedAnswer("its cursor is none: ‘\(cursor.prefix(60))’") }
        var records: [(key: RecordKey, record: KnownRecord)] = []
        for change in changes {
            guard records.count < ReplicaLimits.pageRecords else {
                throw UnexpectedAnswer("a page has more than \(ReplicaLimits.pageRecords) records")
            }
            records.append(try record(change, request.initialSync, schema))
        }
        return Page(records: records, cursor: cursor, hasMore: more)
    }

    /// True if the text can be a cursor: base64 in the alphabet for URLs, of at most `cursorMaxBytes`.
    static func isCursor(_ text: String) -> Bool {
        (1...cursorMaxBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="):
                    true
                default: false
                }
            }
    }

    private static func record(
        _ node: JSONNode, _ initialSync: Int64, _ schema: SyncSchema
    ) throws -> (key: RecordKey, record: KnownRecord) {
        guard let name = node[BodyMember.entity]?.string, let text = node[BodyMember.id]?.string,
            let stamp = node[BodyMember.stamp].flatMap(stamp), let operation = node[BodyMember.operation]?.string
        else { throw UnexpectedAnswer("a record of a page lacks a member, or it cannot be read") }
        guard let kind = schema.kinds[name] else {
            throw UnexpectedAnswer("a \(name.prefix(60)) was sent, which \(schema.header) does not know")
        }
        guard let id = kind.id(text) else {
            throw UnexpectedAnswer("a \(name) was sent whose id is none: ‘\(text.prefix(60))’")
        }
        let key = RecordKey(entity: name, id: id)
        switch ChangeOperation(rawValue: operation) {
        case .delete:
            let deleted = try optionalStamp(node[BodyMember.deleted]) ?? 0
            return (key, KnownRecord(fields: nil, stamp: stamp, created: deleted, initialSync: initialSync))
        case .update: return (key, try living(node, kind, stamp, initialSync))
        case .create, nil:
            throw UnexpectedAnswer("a \(name) was sent with the operation ‘\(operation.prefix(60))’")
        }
    }

    private static func living(
        _ node: JSONNode, _ kind: RecordKind, _ stamp: Int64, _ initialSync: Int64
    ) throws -> KnownRecord {
        let fields: [String: Value]
        do throws(ValueReader.Failure) {
            fields =
                try node[BodyMember.fields].map { (node) throws(ValueReader.Failure) in try kind.read(node) } ?? [:]
        } catch {
            throw UnexpectedAnswer("a \(kind.name) was sent with a value that it cannot have: \(error)")
        }
        guard fields.count == kind.fields.count else {
            throw UnexpectedAnswer("a \(kind.name) was sent without all of its attributes")
        }
        var record = KnownRecord(
            fields: fields, stamp: stamp, created: try optionalStamp(node[BodyMember.created]) ?? stamp,
            initialSync: initialSync)
        if let stamps = node[BodyMember.stamps]?.members {
            for member in stamps where kind.field(member.key) != nil {
                record.stamps[member.key] = try optionalStamp(member.value)
            }
        }
        if let absent = node[BodyMember.absent], let targets = try? kind.read(absent) { record.absent = targets }
        return record
    }

    /// Reads a stamp, or 0, which stands for a value that nobody has set; `nil` for anything else.
    private static func stamp(_ node: JSONNode) -> Int64? {
        node.int64.flatMap { (0...Stamp.last.rawValue).contains($0) ? $0 : nil }
    }

    private static func optionalStamp(_ node: JSONNode?) throws -> Int64? {
        guard let node, !node.isNull else { return nil }
        guard let stamp = stamp(node) else { throw UnexpectedAnswer("a record has a stamp that is none") }
        return stamp
    }
}

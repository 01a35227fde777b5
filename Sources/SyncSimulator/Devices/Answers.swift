import StrictJSON
import SyncModel
import WireFormats

/// The server's answer to a push, or the push part of its answer to a sync (a push and a pull in one request).
struct PushReply {
    struct Result {
        var verdict = VerdictName.applied
        var kept: Set<String> = []
        var code: String?
        var detail: String?
        /// The stamp by which the server replaced the change's own stamp; `nil` if it did not replace it. The server
        /// replaces stamps that are too far ahead of its clock.
        var stamp: Stamp?
    }

    /// The results of the pushed changes, in the order of the changes in the push.
    var results: [Result]
    let cursor: String
}

/// One page of a pull, or the pull part of the server's answer to a sync (a push and a pull in one request).
struct PageReply {
    struct Record {
        let key: ModelKey
        let seq: Int64
        let stamp: Stamp
        /// The record's values by attribute; `nil` for a deleted record.
        let fields: [String: Value]?
    }

    let records: [Record]
    let cursor: String
    let more: Bool
}

/// Reads answers of the server by the rules of `docs/protocol.md`. It throws a `Breach` if an answer breaks a rule.
struct AnswerReader {
    let vocabulary: Vocabulary

    func push(_ root: JSONNode, count: Int) throws -> PushReply {
        guard let entries = root[BodyMember.results]?.elements, let cursor = root[BodyMember.cursor]?.string,
            let applied = root[BodyMember.applied]?.int64
        else { throw Breach("an answer to a push lacks ‘applied’, ‘results’ or ‘cursor’") }
        var answer = PushReply(results: Array(repeating: PushReply.Result(), count: count), cursor: cursor)
        for entry in entries {
            guard let index = entry[BodyMember.index]?.int64, answer.results.indices.contains(Int(index)),
                let name = entry[BodyMember.verdict]?.string
            else { throw Breach("a result has no ‘verdict’ or an ‘index’ of no change") }
            guard let verdict = VerdictName(rawValue: name) else { throw Breach("there is no verdict ‘\(name)’") }
            var result = PushReply.Result(verdict: verdict)
            if let kept = entry[BodyMember.kept]?.elements {
                result.kept = Set(kept.compactMap(\.string))
            }
            result.code = entry[BodyMember.code]?.string
            result.detail = entry[BodyMember.detail]?.string
            result.stamp = entry[BodyMember.stamp]?.int64.flatMap(Stamp.init(rawValue:))
            answer.results[Int(index)] = result
        }
        let count = answer.results.count { $0.verdict == .applied }
        guard count == applied else { throw Breach("‘applied’ is \(applied), and \(count) changes were") }
        return answer
    }

    func page(_ root: JSONNode) throws -> PageReply {
        guard let nodes = root[BodyMember.changes]?.elements, let cursor = root[BodyMember.cursor]?.string,
            let more = root[BodyMember.more]?.bool
        else { throw Breach("a page lacks ‘changes’, ‘cursor’ or ‘more’") }
        return PageReply(records: try nodes.map { try record($0) }, cursor: cursor, more: more)
    }

    private func record(_ node: JSONNode) throws -> PageReply.Record {
        guard let name = node[BodyMember.entity]?.string, let text = node[BodyMember.id]?.string,
            let seq = node[BodyMember.seq]?.int64,
            let stamp = node[BodyMember.stamp]?.int64.flatMap(Stamp.init(rawValue:)),
            let operation = node[BodyMember.operation]?.string
        else { throw Breach("a record of a page lacks a member") }
        guard let entity = vocabulary.entity(name) else {
            throw Breach("a device of \(vocabulary.header) was sent a \(name), which it does not know")
        }
        guard let id = entity.texts.map({ $0.key(of: text) }) ?? ID(text) else {
            throw Breach("a \(name) was sent with the id ‘\(text)’")
        }
        let key = ModelKey(entity: name, id: id)
        if operation == ChangeOperation.delete.rawValue {
            return PageReply.Record(key: key, seq: seq, stamp: stamp, fields: nil)
        }
        var fields: [String: Value] = [:]
        for field in entity.fields {
            guard let value = node[BodyMember.fields]?[field.name] else {
                throw Breach("\(name).\(field.name) was not sent")
            }
            do {
                fields[field.name] = try field.read(value)
            } catch {
                throw Breach("\(name).\(field.name) was sent as what it cannot be: \(error)")
            }
        }
        guard node[BodyMember.fields]?.members?.count == fields.count else {
            throw Breach("a \(name) was sent attributes that \(vocabulary.header) does not have")
        }
        return PageReply.Record(key: key, seq: seq, stamp: stamp, fields: fields)
    }
}

extension Vocabulary.Field {
    /// Reads a value from its JSON form. A reference is returned as the UUID of its target, also if it was sent as a
    /// text id.
    func read(_ node: JSONNode) throws(ValueReader.Failure) -> Value {
        let value = try ValueReader.read(node, as: wireType)
        guard let texts, case .string(let text) = value else { return value }
        return .uuid(texts.key(of: text))
    }
}

/// A violation of the protocol by the server.
package struct Breach: Error, CustomStringConvertible, Hashable {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

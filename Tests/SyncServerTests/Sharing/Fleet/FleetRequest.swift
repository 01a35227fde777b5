import SyncEngine
import SyncServer
import SyncTestSupport
import WireFormats

/// A request of the fleet's that was answered.
struct FleetRequest: Sendable {
    let action: FleetAction
    let sender: Subject
    var target: FleetTarget
    let token: FleetToken
    /// The times of its first byte, its last one, and its answer; all but the first are those of `SpaceEvent`.
    let begun: ContinuousClock.Instant
    let sent: ContinuousClock.Instant
    let answered: ContinuousClock.Instant
    /// The same by the clock that servers have.
    let sentAt: Timestamp
    let answeredAt: Timestamp
    let port: Int
    let status: Int
    let answer: JSONValue
    /// The spaces that its sender was shown as its own.
    let listed: Set<ID>

    var isDone: Bool { (200...299).contains(status) }
    var code: String { answer["code"].string ?? "" }

    /// Pushed, and the change was not taken because who sent it may only read.
    var isReadOnly: Bool { isDone && answer["results"].elements.contains { $0["code"] == "read-only" } }

    /// The record that is stored by it.
    var stored: ID? {
        guard isDone, !isReadOnly else { return nil }
        switch action {
        case .push(let record), .sync(let record): return record
        default: return nil
        }
    }

    /// The records that it says the space has; `nil` where it read none.
    var read: Set<ID>? {
        guard isDone else { return nil }
        let found = answer["changes"].elements.compactMap { $0["id"].uuid }
        switch action {
        case .sync: return answer["more"] == true ? nil : Set(found)
        case .pull(let cursor): return Set(found).union(cursor?.read ?? [])
        default: return nil
        }
    }

    /// True if an answer of this kind says that the request did nothing, and is one that it may get.
    var isExpected: Bool {
        if isDone { return answer["more"] != true || stored != nil || isReadOnly }
        switch status {
        case 401, 403, 503: return true
        case 404: break
        case 409: break
        default: return false
        }
        switch (action, code) {
        case (.accept, "invitation-unknown"), (.accept, "too-many"), (.makeSpace, "too-many"), (.invite, "too-many"),
            (.change, "not-found"), (.change, "last-owner"), (.remove, "not-found"), (.remove, "last-owner"),
            (.eraseAccount, "shared-spaces"):
            return true
        default: return false
        }
    }

    /// In a line, with seconds since `start`.
    func story(since start: ContinuousClock.Instant) -> String {
        let times = [begun, sent, answered].map { FleetRequest.seconds($0 - start) }
        let time = times[0] == times[1] ? "\(times[1])–\(times[2])" : "\(times[0])…\(times[1])–\(times[2])"
        return "\(time) \(sender.bytes) (\(token.name), :\(port)) \(action): \(outcome)"
    }

    private var outcome: String {
        if isReadOnly { return "\(status) read-only" }
        if let read { return "\(status), \(read.count) records" }
        guard isDone else { return "\(status) \(code)" }
        switch action {
        case .push, .sync: return "\(status)"
        case .makeSpace: return "\(status) \(answer["space"].string ?? "")"
        case .invite: return "\(status) \(answer["invitation"].uuid?.brief ?? "")"
        default: return "\(status) \(answer.text.prefix(300))"
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return "\(Int(milliseconds) / 1000).\(String(1000 + Int(milliseconds) % 1000).dropFirst())"
    }
}

extension JSONValue {
    var uuid: ID? { string.flatMap { ID($0) } }
}

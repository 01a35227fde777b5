import SyncClient
import SyncEngine
import SyncServer
import WireFormats

/// A device of the compatibility test: a `PlainDevice` (which only stores values), or a build of an app.
protocol CompatDevice: Sendable {
    /// The device's role in the test, such as `writer`, for messages.
    var role: String { get }
    /// The device's version, as an index in the plan's `shapes`.
    var version: Int { get }
    /// The records that the device's user sees: attribute values by attribute name, by entity name and id.
    var store: [CompatKey: [String: Value]] { get }
    /// True if the device stamps its changes by its own clock, and ignores the stamps that the test gives them.
    var hasOwnClock: Bool { get }

    /// Makes changes on the device, then pushes them.
    ///
    /// - Returns: the changes that did not take effect on the server, each by its index in `changes`.
    mutating func push(_ changes: [OutgoingChange]) async throws -> [CompatRefusal]
    /// Pulls pages until the server has no more.
    mutating func pull() async throws
}

/// The identity of a record in the device's version: its entity's name and its id.
struct CompatKey: Hashable, Sendable {
    let entity: String
    let id: RecordID
}

/// A change that did not take effect on the server, with the reason.
struct CompatRefusal: Sendable {
    let index: Int
    let verdict: String
    let code: String?
    let detail: String?
}

/// A device that stores the values that it wrote and received, and does nothing else.
struct PlainDevice: CompatDevice {
    let role: String
    let version: Int
    let client: SpaceClient
    private(set) var store: [CompatKey: [String: Value]] = [:]
    /// For each record, the stamp that the server sent with it last.
    private(set) var stamps: [CompatKey: Stamp] = [:]
    private(set) var cursor: String?
    var hasOwnClock: Bool { false }

    init(role: String, version: Int, client: SpaceClient, cursor: String?) {
        self.role = role
        self.version = version
        self.client = client
        self.cursor = cursor
    }

    mutating func push(_ changes: [OutgoingChange]) async throws -> [CompatRefusal] {
        for change in changes {
            let key = CompatKey(entity: change.entity, id: change.id)
            switch change.operation {
            case .create: store[key] = Dictionary(change.fields.map { ($0.name, $0.value) }) { $1 }
            case .update: for field in change.fields { store[key]?[field.name] = field.value }
            case .delete: store[key] = nil
            }
        }
        // The device deletes records that it made itself.
        let answer = try await client.push(changes, after: cursor, isMassDeletion: true)
        cursor = answer.cursor
        return answer.results.filter { [VerdictName.rejected, .superseded].map(\.rawValue).contains($0.verdict) }.map {
            CompatRefusal(index: $0.index, verdict: $0.verdict, code: $0.code, detail: $0.detail)
        }
    }

    mutating func pull() async throws {
        while true {
            let page = try await client.pull(after: cursor, limit: SyncEngine.pageRecordsMax)
            for change in page.changes {
                let key = CompatKey(entity: change.entity, id: change.id)
                store[key] = change.fields
                stamps[key] = change.stamp
            }
            cursor = page.cursor
            if !page.more { return }
        }
    }
}

import SyncClient
import SyncEngine
import SyncServer
import WireFormats

/// A device of the compatibility test: ours, or a build of an app's own.
protocol CompatDevice: Sendable {
    /// What it does in the pair, for messages.
    var role: String { get }
    /// A place in the plan's shapes.
    var version: Int { get }
    /// What its user sees, by entity name and id.
    var store: [CompatKey: [String: Value]] { get }
    /// Whether changes get stamps from its own clock, and not those that they have.
    var hasOwnClock: Bool { get }

    /// Makes the changes here, then pushes them.
    ///
    /// - Returns: what the server did not take, by place in `changes`.
    mutating func push(_ changes: [OutgoingChange]) async throws -> [CompatRefusal]
    /// Pulls to the end.
    mutating func pull() async throws
}

/// A record as a device names it.
struct CompatKey: Hashable, Sendable {
    let entity: String
    let id: RecordID
}

/// A change that the server did not take.
struct CompatRefusal: Sendable {
    let index: Int
    let verdict: String
    let code: String?
    let detail: String?
}

/// One that holds what it wrote and what it was sent, and nothing else.
struct PlainDevice: CompatDevice {
    let role: String
    let version: Int
    let client: SpaceClient
    private(set) var store: [CompatKey: [String: Value]] = [:]
    /// The latest stamp of each record that it was sent.
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
        // It deletes what it made itself.
        let answer = try await client.push(changes, after: cursor, isMassDeletion: true)
        cursor = answer.cursor
        return answer.results.filter { ["rejected", "superseded"].contains($0.verdict) }.map {
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

import SyncClient
import SyncServer
import WireFormats

/// A device of the compatibility test: a store that holds what the device wrote and what it was sent, and nothing else.
struct CompatDevice {
    let role: String
    /// A place in the plan's shapes.
    let version: Int
    let client: SpaceClient
    /// By entity name and id.
    private(set) var store: [Key: [String: Value]] = [:]
    private(set) var cursor: String?

    struct Key: Hashable {
        let entity: String
        let id: RecordID
    }

    init(role: String, version: Int, client: SpaceClient, cursor: String?) {
        self.role = role
        self.version = version
        self.client = client
        self.cursor = cursor
    }

    /// Makes the changes here, then pushes them. Returns what the server did not simply apply.
    mutating func push(_ changes: [OutgoingChange]) async throws(SyncFailure) -> [SpaceClient.PushAnswer.Result] {
        for change in changes {
            let key = Key(entity: change.entity, id: change.id)
            switch change.operation {
            case .create: store[key] = Dictionary(change.fields.map { ($0.name, $0.value) }) { $1 }
            case .update: for field in change.fields { store[key]?[field.name] = field.value }
            case .delete: store[key] = nil
            }
        }
        // It deletes what it made itself.
        let answer = try await client.push(changes, after: cursor, isMassDeletion: true)
        cursor = answer.cursor
        return answer.results
    }

    /// Pulls to the end.
    ///
    /// - Returns: how many changes came.
    @discardableResult
    mutating func pull() async throws(SyncFailure) -> Int {
        var count = 0
        while true {
            let page = try await client.pull(after: cursor, limit: SyncEngine.pageRecordsMax)
            for change in page.changes {
                store[Key(entity: change.entity, id: change.id)] = change.fields
                count += 1
            }
            cursor = page.cursor
            if !page.more { return count }
        }
    }
}

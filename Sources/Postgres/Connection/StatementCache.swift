/// The record of the statements that a session has prepared, with their names. It only decides which statements to
/// prepare and to drop; the session then sends these commands.
struct StatementCache {
    private struct Entry {
        let name: String
        let types: [UInt32]
        var lastUse: Int
    }

    private var entries: [Statement: Entry] = [:]
    private var useCount = 0
    private var nameCount = 0
    private(set) var isStale = false
    /// The names of statements that the session no longer uses, but that are still prepared on the server. The session
    /// drops them there.
    private(set) var abandoned: [String] = []
    private let limit: Int

    /// The default maximum number of prepared statements. Each takes some tens of kilobytes for its plan, in the server
    /// process of each of the pool's sessions.
    static let defaultLimit = 400

    init(limit: Int = defaultLimit) {
        self.limit = limit
    }

    var count: Int { entries.count }

    /// Returns the name under which the statement of `command` is prepared; `nil` if it is not prepared for parameters
    /// of the same types.
    mutating func name(for command: Command) -> String? {
        guard let index = entries.index(forKey: command.statement) else { return nil }
        guard entries.values[index].types.elementsEqual(command.parameters, by: { $0 == $1.oid }) else { return nil }
        useCount += 1
        entries.values[index].lastUse = useCount
        return entries.values[index].name
    }

    /// Adds the statement of `command` under a new name, and returns that name. If the cache is full, removes the least
    /// recently used statement.
    mutating func insert(_ command: Command) -> String {
        if let other = entries.removeValue(forKey: command.statement) { abandoned.append(other.name) }
        if entries.count >= limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            abandoned.append(oldest.value.name)
            entries[oldest.key] = nil
        }
        nameCount += 1
        useCount += 1
        let name = "s\(nameCount)"
        entries[command.statement] = Entry(name: name, types: command.parameters.map(\.oid), lastUse: useCount)
        return name
    }

    /// Removes the first `count` names from `abandoned`, because the server has dropped their statements.
    mutating func noteForgotten(_ count: Int) {
        abandoned.removeFirst(count)
    }

    /// Removes the statement of `command`, because the server failed to prepare it under `name`. The name is not kept
    /// for a later drop: the server does not have it, so the drop would fail.
    mutating func remove(_ command: Command, named name: String) {
        entries[command.statement] = nil
        abandoned.removeAll { $0 == name }
    }

    /// Marks all statements as unusable, because a table changed under them. The session then drops them on the server,
    /// too.
    mutating func markStale() {
        entries = [:]
        isStale = true
    }
}

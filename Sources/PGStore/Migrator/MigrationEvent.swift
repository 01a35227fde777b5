/// What a migration run reports as it goes, for a terminal or a log.
package enum MigrationEvent: Sendable, Hashable {
    /// Another run holds the lock, in these server processes; waiting.
    case waiting(holders: [Int])
    /// These files will be applied, in this order.
    case planned(paths: [String])
    case began(path: String, attempt: Int)
    /// The file waits for locks that these hold. Said once per attempt and set of holders.
    case blocked(path: String, by: [Blocker])
    /// The file could not get its locks; trying again after a pause.
    case retrying(path: String, attempt: Int, after: Duration)
    case applied(path: String, Duration)
}

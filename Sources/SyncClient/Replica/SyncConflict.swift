/// A change by the user that the server has not accepted unchanged.
public struct SyncConflict: Sendable, Hashable {
    /// The server's decision on the change, or `unsendable`.
    public enum Verdict: String, Sendable {
        /// A later edit won for some attributes, which `kept` lists. The other attributes were set.
        case merged
        /// A later edit won for all attributes, or the record is deleted.
        case superseded
        /// The change is faulty or not allowed; `code` gives the reason.
        case rejected
        /// The change cannot be sent: its version is closed for good, the app's version does not allow it, or it is too
        /// large.
        case unsendable
    }

    /// The number that identifies the conflict in its store.
    public let number: Int64
    /// The server's decision, or `unsendable`.
    public let verdict: Verdict
    /// The record that the change was for.
    public let key: RecordKey
    /// The protocol's code of a rejection, such as `unique`, `denied`, `mass-deletion` or `read-only`.
    public let code: String?
    /// A message for a log or a support mail.
    public let detail: String?
    /// For `merged`, the attributes for which a later edit won.
    public let kept: [String]
    /// The change as it was sent: a JSON object.
    public let change: String

    init(
        number: Int64, verdict: Verdict, key: RecordKey, code: String?, detail: String?, kept: [String], change: String
    ) {
        self.number = number
        self.verdict = verdict
        self.key = key
        self.code = code
        self.detail = detail
        self.kept = kept
        self.change = change
    }

    /// Returns the conflict with the number that its store gives it.
    func numbered(_ number: Int64) -> SyncConflict {
        SyncConflict(
            number: number, verdict: verdict, key: key, code: code, detail: detail, kept: kept, change: change)
    }
}

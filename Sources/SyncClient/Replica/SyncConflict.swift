/// A change by the user that the server has not accepted unchanged.
public struct SyncConflict: Sendable, Hashable {
    /// The outcome of a change: the server's decision, or `unsendable` if the change cannot be sent.
    public enum Verdict: String, Sendable {
        /// A change that took effect in part: a later edit won for the attributes that `kept` lists.
        case merged
        /// A change without effect: later edits won for all of its attributes, or the record is deleted.
        case superseded
        /// A change without effect, because it is faulty or not allowed; `code` gives the reason.
        case rejected
        /// A change that cannot be sent. Either the server takes no more changes of the version in which it was made,
        /// or the change breaks a rule of the app's version, or it is too large.
        case unsendable
    }

    /// The number that identifies the conflict in its store.
    public let number: Int64
    /// The server's decision on the change, or `unsendable`.
    public let verdict: Verdict
    /// The record that the change was for.
    public let key: RecordKey
    /// The protocol's code of a rejection, such as `unique`, `denied`, `mass-deletion` or `read-only`; `nil` for a
    /// conflict without a code.
    public let code: String?
    /// A message for a log or a support mail.
    public let detail: String?
    /// The attributes for which a later edit won, if the verdict is `merged`.
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

    /// Returns this conflict with the number that its store has given to it.
    func numbered(_ number: Int64) -> SyncConflict {
        SyncConflict(
            number: number, verdict: verdict, key: key, code: code, detail: detail, kept: kept, change: change)
    }
}

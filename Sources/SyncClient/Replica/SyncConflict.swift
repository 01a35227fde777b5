/// What a user did and the server has not taken as it was.
public struct SyncConflict: Sendable, Hashable {
    /// What became of it.
    public enum Verdict: String, Sendable {
        /// Some attributes hold a later edit: those of `kept`.
        case merged
        /// All of it was done otherwise later, or the record is gone.
        case superseded
        /// It is at fault, or may not be done; `code` says why.
        case rejected
        /// It cannot be sent: its version has ended for good, or it is too large.
        case unsendable
    }

    /// What it is known by in its store.
    public let number: Int64
    public let verdict: Verdict
    public let key: RecordKey
    /// Of a rejection, the protocol's code, such as `unique`, `denied`, `mass-deletion` or `read-only`.
    public let code: String?
    /// In words, for a log or a support mail.
    public let detail: String?
    /// Of `merged`, the attributes that hold what others wrote.
    public let kept: [String]
    /// The change, as it was sent: a JSON object.
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

    /// The same, as a store knows it.
    func numbered(_ number: Int64) -> SyncConflict {
        SyncConflict(
            number: number, verdict: verdict, key: key, code: code, detail: detail, kept: kept, change: change)
    }
}

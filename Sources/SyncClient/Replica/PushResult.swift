import StrictJSON
import WireFormats

/// The server's verdict on one change of a push.
struct PushResult {
    var verdict = VerdictName.applied
    var kept: [String] = []
    var code: String?
    var detail: String?
    /// The stamp by which the server replaced the change's own, such as one too far ahead of the server's time; `nil`
    /// if the change kept its own stamp.
    var stamp: Int64?

    /// The maximum stored length of a message from the server, in characters.
    static let detailMaxCharacters = 2_000

    init() {}

    /// Reads a verdict from the server's answer.
    ///
    /// - Throws: `UnexpectedAnswer`, also for a verdict that the protocol does not have. Then no change of the push
    ///   counts as answered, and all stay in the outbox.
    init(_ node: JSONNode) throws {
        guard let name = node[BodyMember.verdict]?.string, let verdict = VerdictName(rawValue: name) else {
            throw UnexpectedAnswer("a result has no ‘verdict’, or one that is none")
        }
        self.verdict = verdict
        kept =
            try node[BodyMember.kept]?.elements?.map { element in
                guard let name = element.string, name.utf8.count <= Schema.nameSizeMaxBytes, !name.contains("\n") else {
                    throw UnexpectedAnswer("‘kept’ names what is no attribute")
                }
                return name
            } ?? []
        code = node[BodyMember.code]?.string.map { String($0.prefix(PushResult.detailMaxCharacters)) }
        detail = node[BodyMember.detail]?.string.map { String($0.prefix(PushResult.detailMaxCharacters)) }
        if verdict == .rejected, code == nil { throw UnexpectedAnswer("a change is rejected without a ‘code’") }
        guard let stamp = node[BodyMember.stamp], !stamp.isNull else { return }
        guard let replaced = stamp.int64.flatMap(Stamp.init(rawValue:)) else {
            throw UnexpectedAnswer("a result has a stamp that is none")
        }
        self.stamp = replaced.rawValue
    }

    /// The verdict as a conflict to report to the user; `nil` if there is nothing to report.
    var conflict: SyncConflict.Verdict? { SyncConflict.Verdict(rawValue: verdict.rawValue) }

    var takesEffect: Bool { ![.rejected, .superseded].contains(verdict) }
}

package import PGStore
import Postgres

/// Why a change was put into quarantine instead of being merged: a fault of ours or of our database, not the device's.
package struct QuarantineReason: Error, Hashable, Sendable {
    package let code: Code
    /// For the operator; may quote the change.
    package let detail: String

    /// Every code of a `held` verdict.
    package enum Code: String, Sendable, CaseIterable {
        /// A conversion of the plan cannot translate a value.
        case lensFailed = "lens-failed"
        /// PostgreSQL does not take it, though it is what the plan allows.
        case databaseRefused = "database-refused"
        /// The record's creation is held.
        case behindHeld = "behind-held"
        /// It was held and is at fault, or cannot be, now that it is replayed. Never a verdict on a push.
        case rejected
    }

    init(_ code: Code, _ detail: String) {
        self.code = code
        // What a lens says may quote what it made, and PostgreSQL's text holds no U+0000.
        let scalars = detail.unicodeScalars.prefix(QuarantineReason.detailMax).map { $0 == "\0" ? "\u{FFFD}" : $0 }
        self.detail = String(String.UnicodeScalarView(scalars))
    }

    /// An error may quote a value of any length; the change itself is beside it.
    private static let detailMax = 1_000

    /// - Parameter error: what PostgreSQL said, of which the statement tells an operator nothing.
    init(_ error: PGError, _ preface: String = "") {
        let report = error.report
        let text = report.map { "[\($0.sqlState)] \($0.message). \($0.detail ?? "")" } ?? error.description
        self.init(.databaseRefused, preface + text)
    }

    package init(_ rejection: Rejection) {
        self.init(.rejected, "\(rejection.code.rawValue): \(rejection.detail)")
    }

    package var reason: QuarantinedChange.Reason { QuarantinedChange.Reason(code: code.rawValue, detail: detail) }
}

package import PGStore
import Postgres

/// The reason why a change was quarantined instead of merged: a fault of this server or its database, not of the
/// device.
package struct QuarantineReason: Error, Hashable, Sendable {
    package let code: Code
    /// The details for the operator; may quote the change.
    package let detail: String

    /// Every code of a `held` verdict.
    package enum Code: String, Sendable, CaseIterable {
        /// A conversion of the plan cannot translate a value.
        case lensFailed = "lens-failed"
        /// PostgreSQL refuses the change, though the plan allows it.
        case databaseRefused = "database-refused"
        /// The record's creation is held.
        case behindHeld = "behind-held"
        /// The change was held, and in its replay it is faulty or cannot be merged. Never a verdict on a push.
        case rejected
    }

    init(_ code: Code, _ detail: String) {
        self.code = code
        // A lens's message may quote a value, and PostgreSQL's text holds no U+0000.
        let scalars = detail.unicodeScalars.prefix(QuarantineReason.detailMax).map { $0 == "\0" ? "\u{FFFD}" : $0 }
        self.detail = String(String.UnicodeScalarView(scalars))
    }

    /// The longest detail, in Unicode scalars: an error may quote a value of any length, and the change itself is
    /// stored beside the reason.
    private static let detailMax = 1_000

    /// - Parameter error: PostgreSQL's error; its statement is left out, because it is of no use to an operator.
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

package import PGStore
import Postgres
package import WireFormats

/// The reason why a change was quarantined instead of merged: a fault of this server or its database, not of the
/// device.
package struct QuarantineReason: Error, Hashable, Sendable {
    package let code: Code
    /// The details for the operator; they may contain values of the change.
    package let detail: String

    /// The code that a verdict `held` (the change is in quarantine) contains.
    package typealias Code = HoldCode

    init(_ code: Code, _ detail: String) {
        self.code = code
        // A lens's message may quote a value, and PostgreSQL's text holds no U+0000.
        let scalars = detail.unicodeScalars.prefix(QuarantineReason.detailMax).map { $0 == "\0" ? "\u{FFFD}" : $0 }
        self.detail = String(String.UnicodeScalarView(scalars))
    }

    /// The longest detail, in Unicode scalars. It is limited because an error may contain a value of any length; the
    /// change itself is stored beside the reason.
    private static let detailMax = 1_000

    /// Creates the reason for a change whose record PostgreSQL did not accept.
    ///
    /// - Parameters:
    ///   - error: PostgreSQL's error; its statement is left out, because it is of no use to an operator.
    ///   - preface: a text before the error's message.
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

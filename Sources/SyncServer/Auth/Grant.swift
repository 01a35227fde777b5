package import HTTPServer
package import WireFormats

/// What a token allows its holder.
package struct Grant: Sendable, Hashable {
    /// `nil`: every app.
    package let app: String?
    /// Whose token it is: shares of the server's budgets are a subject's, however many tokens it has.
    package let subject: String
    package let role: Role
    /// The first is the one that `spaces/me` means.
    package let spaces: [ID]
    /// Whose share its requests take.
    package let holder: Holder

    /// Whether its holder may push, besides pulling.
    package enum Role: String, Sendable {
        case read
        case write
    }

    package init(app: String?, subject: String, role: Role, spaces: [ID]) {
        self.app = app
        self.subject = subject
        self.role = role
        self.spaces = spaces
        holder = Holder("subject \(app ?? "") \(subject)")
    }

    package func reaches(app: String) -> Bool {
        self.app == nil || self.app == app
    }
}

package import HTTPServer
package import WireFormats

/// What a token allows its holder.
package struct Grant: Sendable, Hashable {
    /// `nil`: every app.
    package let app: String?
    /// Whose token it is: shares of the server's budgets are a subject's, however many tokens it has.
    package let subject: String
    package let role: Role
    /// Those that the token itself names; the first is what `spaces/me` means.
    package let spaces: [ID]
    /// The spaces that the subject is a member of, whichever token it has.
    package let memberships: [SpaceName: SpaceRole]
    /// By app, the subject's own space: what `spaces/me` means where the token names none.
    package let personal: [String: ID]
    /// Whose share its requests take.
    package let holder: Holder

    /// Whether its holder may push, besides pulling.
    package enum Role: String, Sendable {
        case read
        case write
    }

    package init(
        app: String?, subject: String, role: Role, spaces: [ID], memberships: [SpaceName: SpaceRole] = [:],
        personal: [String: ID] = [:]
    ) {
        self.app = app
        self.subject = subject
        self.role = role
        self.spaces = spaces
        self.memberships = memberships
        self.personal = personal
        holder = Holder("subject \(app ?? "") \(subject)")
    }

    package func reaches(app: String) -> Bool {
        self.app == nil || self.app == app
    }

    /// What `spaces/me` means in an app.
    package func ownSpace(in app: String) -> ID? { spaces.first ?? personal[app] }

    /// What the holder may do in a space; `nil` where it has nothing to do.
    ///
    /// A token's own spaces and what its subject is a member of add up. A token that may only read is a reader of all.
    package func role(in space: SpaceName) -> SpaceRole? {
        guard reaches(app: space.app) else { return nil }
        let own: SpaceRole? = spaces.contains(space.space) ? .editor : nil
        guard let most = [own, memberships[space]].compactMap(\.self).max() else { return nil }
        return role == .read ? .reader : most
    }
}

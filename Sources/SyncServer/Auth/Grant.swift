package import HTTPServer
package import SyncEngine
package import WireFormats

/// What a token allows its holder.
package struct Grant: Sendable, Hashable {
    /// `nil`: every app.
    package let app: String?
    /// Whose token it is: shares of the server's budgets are a subject's, however many tokens it has.
    package let subject: Subject
    package let role: Role
    /// Those that the token itself names; the first is what `spaces/me` means.
    package let spaces: [ID]
    /// The spaces that the subject is a member of, whichever token it has.
    package let memberships: [SpaceName: Membership]
    /// By app, the subject's own space: what `spaces/me` means where the token names none.
    package let personal: [String: ID]
    /// When the token was issued; `nil` for one of our own, which the database knows.
    package let issued: Timestamp?
    /// Apps in which the subject's account was erased since then: there it stands for nobody.
    package let ended: Set<String>
    /// Whose share its requests take.
    package let holder: Holder

    /// A subject's place in a space.
    package struct Membership: Sendable, Hashable {
        package let role: SpaceRole
        /// The space's count of rights when this was read: see `SpaceState.rights`.
        package let rights: Int64

        package init(role: SpaceRole, rights: Int64) {
            self.role = role
            self.rights = rights
        }
    }

    /// Whether its holder may push, besides pulling.
    package enum Role: String, Sendable {
        case read
        case write
    }

    package init(
        app: String?, subject: Subject, role: Role, spaces: [ID], memberships: [SpaceName: Membership] = [:],
        personal: [String: ID] = [:], issued: Timestamp? = nil, ended: Set<String> = []
    ) {
        self.app = app
        self.subject = subject
        self.role = role
        self.spaces = spaces
        self.memberships = memberships
        self.personal = personal
        self.issued = issued
        self.ended = ended
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
        guard reaches(app: space.app), !ended.contains(space.app) else { return nil }
        let own: SpaceRole? = spaces.contains(space.space) ? .editor : nil
        guard let most = [own, memberships[space]?.role].compactMap(\.self).max() else { return nil }
        return role == .read ? .reader : most
    }

    /// The count of rights that the space must still have for the role to hold; `nil` where it follows from the token,
    /// whoever is a member.
    package func rights(in space: SpaceName) -> Int64? {
        spaces.contains(space.space) ? nil : memberships[space]?.rights
    }
}

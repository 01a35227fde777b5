package import WireFormats

/// The rights that a token gives its holder.
package struct Grant: Sendable, Hashable {
    /// The only app that the token reaches; `nil` for every app.
    package let app: String?
    /// The subject of the token. Budgets such as the rate limit are divided by subject, however many tokens a subject
    /// has.
    package let subject: Subject
    package let role: Role
    /// The spaces that the token itself names. The path `spaces/me` of a request refers to the first of them.
    package let spaces: [ID]
    /// The subject's membership in each space that it is a member of, whichever token it uses.
    package let memberships: [SpaceName: Membership]
    /// The subject's personal space, by app. The path `spaces/me` of a request refers to it if the token names no
    /// space.
    package let personal: [String: ID]
    /// The time when an identity provider issued the token; `nil` for a token that the server itself issued. The
    /// database stores if a token of the server is valid.
    package let issued: Timestamp?
    /// The apps in which the subject's account was erased after the token was issued. In these apps, the token gives no
    /// rights.
    package let ended: Set<String>
    /// The key under which the server counts the subject's share of its budgets: a text that is the same for all tokens
    /// of the subject in an app, and for no others. It is built once, because every request of the subject needs it.
    package let shareName: String

    /// A subject's membership of a space.
    package struct Membership: Sendable, Hashable {
        package let role: SpaceRole
        /// The space's count of revocations (withdrawals of members' rights) when the token was looked up: see
        /// `SpaceState.revocations`.
        package let revocations: Int64

        package init(role: SpaceRole, revocations: Int64) {
            self.role = role
            self.revocations = revocations
        }
    }

    /// The token's role: `read` may only pull, `write` may also push.
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
        shareName = "subject \(app ?? "") \(subject)"
    }

    package func reaches(app: String) -> Bool {
        self.app == nil || self.app == app
    }

    /// Returns the space to which the path `spaces/me` refers in an app; `nil` if there is none.
    package func ownSpace(in app: String) -> ID? { spaces.first ?? personal[app] }

    /// Returns the holder's role in a space; `nil` if it has none.
    ///
    /// The token's own spaces and the subject's memberships add up. A token that may only read has the role of a reader
    /// in all of them.
    package func role(in space: SpaceName) -> SpaceRole? {
        guard reaches(app: space.app), !ended.contains(space.app) else { return nil }
        let own: SpaceRole? = spaces.contains(space.space) ? .editor : nil
        guard let most = [own, memberships[space]?.role].compactMap(\.self).max() else { return nil }
        return role == .read ? .reader : most
    }

    /// Returns the space's count of revocations (withdrawals of members' rights) when the token was looked up. The role
    /// is valid only while the space still has this count. `nil` if the role follows from the token itself, and not
    /// from a membership.
    package func revocations(in space: SpaceName) -> Int64? {
        spaces.contains(space.space) ? nil : memberships[space]?.revocations
    }
}

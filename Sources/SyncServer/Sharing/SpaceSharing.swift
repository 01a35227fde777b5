import OpenID
package import PGStore
package import WireFormats

/// Who is in an app's spaces, and who is invited.
package struct SpaceSharing: Sendable {
    private let transactions: SpaceTransactions
    private let members: Members
    private let invitations: Invitations
    private let spaces: Spaces
    private let quotas: Quotas

    /// The most invitations to a space that wait to be accepted.
    package static let invitationsMax = 50
    /// How long an invitation is good where nobody says how long, and how long it may be at most.
    package static let invitationLifetime = Duration.seconds(7 * 24 * 3600)
    package static let invitationLifetimeMax = Duration.seconds(30 * 24 * 3600)
    /// As the table has it, and as a provider of identities calls somebody (OpenID Connect Core 1.0, section 2).
    package static let subjectSizeMaxBytes = Issuer.subjectSizeMaxBytes

    package init(app: String, pool: Pool, quotas: Quotas = Quotas()) {
        self.quotas = quotas
        transactions = SpaceTransactions(pool: pool)
        members = Members(app: app)
        invitations = Invitations(app: app)
        spaces = Spaces(app: app)
    }

    /// The spaces that a subject is in, the oldest first.
    ///
    /// - Throws: `PGError`.
    package func spaces(of subject: String) async throws -> [Members.JoinedRow] {
        Members.JoinedRow.all(try await transactions.ask(members.listingSpaces(of: subject)))
    }

    /// Makes a space that the subject owns.
    ///
    /// - Parameter isPersonal: whether it is to be what `me` means. Where the subject has such a one, that is it.
    /// - Throws: `SharingError.tooManySpaces`, `PGError`.
    package func makeSpace(for subject: String, isPersonal: Bool = false) async throws -> ID {
        let joined = try await spaces(of: subject)
        if isPersonal, let personal = joined.first(where: \.isPersonal) { return personal.space }
        // The personal one comes on top: without it a client could not begin.
        guard isPersonal || joined.count < quotas.spaces else {
            throw SharingError.tooManySpaces(most: quotas.spaces)
        }
        let space = ID.random()
        _ = try await transactions.run(in: space) { [members, spaces] session in
            let adding = members.adding(
                subject, as: SpaceRole.owner.rawValue, isPersonal: isPersonal, to: space)
            _ = try session.pipeline([spaces.creating(space), adding])
        }
        guard isPersonal else { return space }
        // Another server, or another device's request, may have been first.
        return try await spaces(of: subject).first(where: \.isPersonal)?.space ?? space
    }

    /// Who is in a space, the longest there first.
    ///
    /// - Throws: `PGError`.
    package func members(of space: ID) async throws -> [Members.Row] {
        try await transactions.run(.snapshot, in: space) { [members] session in
            Members.Row.all(try session.execute(members.listing(space)))
        }
    }

    /// Gives a member another role.
    ///
    /// - Throws: `SharingError.noSuchMember`; `lastOwner`, where nobody would own the space; `PGError`.
    package func change(_ subject: String, to role: SpaceRole, in space: ID) async throws {
        try await changing(space) { [members] rows, session in
            guard rows.contains(where: { $0.subject == subject }) else { throw SharingError.noSuchMember }
            guard role == .owner || hasAnotherOwner(rows, than: subject) else { throw SharingError.lastOwner }
            _ = try session.execute(members.changing(subject, to: role.rawValue, in: space))
        }
    }

    /// Takes a member out of a space, or lets one go.
    ///
    /// - Throws: as `change`.
    package func remove(_ subject: String, from space: ID) async throws {
        try await changing(space) { [members] rows, session in
            guard rows.contains(where: { $0.subject == subject }) else { throw SharingError.noSuchMember }
            guard hasAnotherOwner(rows, than: subject) else { throw SharingError.lastOwner }
            _ = try session.execute(members.removing(subject, from: space))
        }
    }

    /// Adds a member, or changes one's role: what an operator may.
    ///
    /// - Throws: `SharingError.tooManyMembers`, `lastOwner`; `PGError`.
    package func set(_ subject: String, to role: SpaceRole, in space: ID) async throws {
        try await changing(space) { [members, spaces] rows, session in
            if rows.contains(where: { $0.subject == subject }) {
                guard role == .owner || hasAnotherOwner(rows, than: subject) else { throw SharingError.lastOwner }
                _ = try session.execute(members.changing(subject, to: role.rawValue, in: space))
            } else {
                guard rows.count < quotas.members else {
                    throw SharingError.tooManyMembers(most: quotas.members)
                }
                let adding = members.adding(subject, as: role.rawValue, isPersonal: false, to: space)
                _ = try session.pipeline([spaces.creating(space), adding])
            }
        }
    }

    /// Invites somebody, whoever brings the secret.
    ///
    /// - Throws: `SharingError.tooManyInvitations`, `PGError`.
    package func invite(
        as role: SpaceRole, for lifetime: Duration, by subject: String, to space: ID
    ) async throws -> (invitation: Invitations.Row, secret: Secret) {
        let secret = Secret(.invitation)
        let made = try await transactions.run(in: space) { [members, invitations] session in
            let making = invitations.making(
                secret.hash, role: role.rawValue, by: subject, seconds: lifetime.components.seconds,
                countMax: SpaceSharing.invitationsMax, to: space)
            let results = try session.pipeline([
                members.locking(space), invitations.withdrawingExpired(to: space), making,
            ])
            return Invitations.Row.all(results[2]).first
        }
        guard let made else { throw SharingError.tooManyInvitations }
        return (made, secret)
    }

    /// The invitations to a space that are still good.
    ///
    /// - Throws: `PGError`.
    package func invitations(to space: ID) async throws -> [Invitations.Row] {
        try await transactions.run(.snapshot, in: space) { [invitations] session in
            Invitations.Row.all(try session.execute(invitations.listing(space)))
        }
    }

    /// Makes an invitation void; nothing where there is none.
    ///
    /// - Throws: `PGError`.
    package func withdraw(_ invitation: ID, to space: ID) async throws {
        _ = try await transactions.run(in: space) { [invitations] session in
            try session.execute(invitations.withdrawing(invitation, to: space))
        }
    }

    /// Takes up an invitation.
    ///
    /// - Returns: the space, and the role that the subject has there now.
    /// - Throws: `SharingError.noSuchInvitation`, whether it expired, was accepted or withdrawn, or never was;
    ///   `tooManyMembers`; `PGError`.
    package func accept(_ secret: Secret, by subject: String) async throws -> (space: ID, role: SpaceRole) {
        guard secret.isWellFormed(as: .invitation) else { throw SharingError.noSuchInvitation }
        let rows = try await transactions.ask(
            invitations.accepting(
                secret.hash, by: subject, membersMax: quotas.members, spacesMax: quotas.spaces))
        guard rows.count > 0 else { throw SharingError.noSuchInvitation }
        guard let role = rows.stringIfPresent(0, 1).flatMap({ SpaceRole(rawValue: $0) }) else {
            throw SharingError.tooManyMembers(most: quotas.members)
        }
        return (rows.id(0, 0), role)
    }

    /// Changes who is in a space; nobody else does meanwhile.
    private func changing(
        _ space: ID, _ body: @Sendable ([Members.Row], isolated Session) throws -> Void
    ) async throws {
        try await transactions.run(in: space) { [members] session in
            try session.execute(members.locking(space))
            // Another statement: it sees what those did who held the lock before.
            try body(Members.Row.all(try session.execute(members.listing(space))), session)
        }
    }
}

/// Whether somebody else owns the space; who owns nothing can always go.
private func hasAnotherOwner(_ rows: [Members.Row], than subject: String) -> Bool {
    let owners = rows.filter { $0.role == SpaceRole.owner.rawValue }.map(\.subject)
    return !owners.contains(subject) || owners.count > 1
}

/// Why what somebody wants with the members of a space cannot be.
package enum SharingError: Error, Hashable, Sendable {
    case noSuchMember
    /// Nobody would own the space.
    case lastOwner
    case noSuchInvitation
    case tooManyMembers(most: Int)
    case tooManyInvitations
    case tooManySpaces(most: Int)
    /// Who is to be forgotten is the only owner of spaces that others are in.
    case sharedSpaces([ID])
}

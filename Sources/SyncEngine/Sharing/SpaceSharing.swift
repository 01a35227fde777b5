package import PGStore
import PlantedBugs
package import Postgres
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
    package func spaces(of subject: Subject) async throws -> [Members.JoinedRow] {
        Members.JoinedRow.all(try await transactions.ask(members.listingSpaces(of: subject)))
    }

    /// Makes a space that the actor owns.
    ///
    /// - Parameter isPersonal: whether it is to be what `me` means. Where the actor has such a one, that is it.
    /// - Throws: `SharingError.tokenEnded`, `tooManySpaces`; `PGError`.
    package func makeSpace(for actor: Actor, isPersonal: Bool = false) async throws -> ID {
        let space = ID.random()
        return try await transactions.run(in: space) { [members, spaces, quotas] session in
            let rows = try session.pipeline(
                standing(actor) + [members.counting(actor.subject), members.listingSpaces(of: actor.subject)])
            guard rows[1].bool(0, 0) else { throw SharingError.tokenEnded }
            if isPersonal, let personal = Members.JoinedRow.all(rows[3]).first(where: \.isPersonal) {
                return personal.space
            }
            // The personal one comes on top: without it a client could not begin. Once, and not whenever it was erased.
            guard rows[2].number < quotas.spaces + (isPersonal ? 1 : 0) else {
                throw SharingError.tooManySpaces(most: quotas.spaces)
            }
            let adding = members.adding(
                actor.subject, as: SpaceRole.owner.rawValue, isPersonal: isPersonal, to: space)
            _ = try session.pipeline([spaces.creating(space), adding])
            return space
        }
    }

    /// Lists who is in a space, the longest there first.
    ///
    /// - Parameter reader: who asks and must be one of them; `nil` of an operator, and by a token that names the space.
    /// - Throws: `SharingError.notAMember`, `PGError`.
    package func members(of space: ID, for reader: Subject? = nil) async throws -> [Members.Row] {
        try await transactions.run(.snapshot, in: space) { [members] session in
            let rows = Members.Row.all(try session.execute(members.listing(space)))
            try rows.require(.reader, of: reader)
            return rows
        }
    }

    /// Gives a member another role. What a member offered who is no owner any more is void.
    ///
    /// - Parameter actor: who asks, an owner; `nil` of an operator.
    /// - Throws: `SharingError.notAMember`, `takesARole`; `noSuchMember`; `lastOwner`, where nobody would own the
    ///   space; `PGError`.
    package func change(_ subject: Subject, to role: SpaceRole, in space: ID, by actor: Subject? = nil) async throws {
        try await changing(space, .owner, by: actor) { [members, invitations] rows, session in
            guard rows.contains(where: { $0.subject == subject }) else { throw SharingError.noSuchMember }
            guard role == .owner || rows.haveAnotherOwner(than: subject) else { throw SharingError.lastOwner }
            _ = try session.pipeline(
                [members.changing(subject, to: role.rawValue, in: space)]
                    + (role == .owner ? [] : invitations.voiding(madeBy: subject, to: space)))
        }
    }

    /// Takes a member out of a space, or lets one go; what that member offered is void.
    ///
    /// - Parameter actor: who asks, the member or an owner; `nil` of an operator.
    /// - Throws: as `change`.
    package func remove(_ subject: Subject, from space: ID, by actor: Subject? = nil) async throws {
        try await changing(space, subject == actor ? .reader : .owner, by: actor) {
            [members, invitations] rows, session in
            guard rows.contains(where: { $0.subject == subject }) else { throw SharingError.noSuchMember }
            guard rows.haveAnotherOwner(than: subject) else { throw SharingError.lastOwner }
            _ = try session.pipeline(
                [members.removing(subject, from: space)] + invitations.voiding(madeBy: subject, to: space))
        }
    }

    /// Adds a member, or changes one's role: what an operator may.
    ///
    /// - Throws: `SharingError.erased`, `tooManyMembers`, `lastOwner`; `PGError`.
    package func set(_ subject: Subject, to role: SpaceRole, in space: ID) async throws {
        try await changing(space, .owner, by: nil) { [members, invitations, spaces] rows, session in
            if rows.contains(where: { $0.subject == subject }) {
                guard role == .owner || rows.haveAnotherOwner(than: subject) else { throw SharingError.lastOwner }
                _ = try session.pipeline(
                    [members.changing(subject, to: role.rawValue, in: space)]
                        + (role == .owner ? [] : invitations.voiding(madeBy: subject, to: space)))
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
    /// - Parameter subject: who asks, an owner.
    /// - Throws: `SharingError.notAMember`, `takesARole`, `tooManyInvitations`; `PGError`.
    package func invite(
        as role: SpaceRole, for lifetime: Duration, by subject: Subject, to space: ID
    ) async throws -> (invitation: Invitations.Row, secret: Secret) {
        let secret = Secret(.invitation)
        let made = try await changing(space, .owner, by: subject) { [invitations] _, session in
            let making = invitations.making(
                secret.hash, role: role.rawValue, by: subject, seconds: lifetime.components.seconds,
                countMax: SpaceSharing.invitationsMax, to: space)
            let results = try session.pipeline([invitations.withdrawingExpired(to: space), making])
            return Invitations.Row.all(results[1]).first
        }
        guard let made else { throw SharingError.tooManyInvitations }
        return (made, secret)
    }

    /// Lists the invitations to a space that are still good.
    ///
    /// - Parameter owner: who asks, an owner.
    /// - Throws: `SharingError.notAMember`, `takesARole`; `PGError`.
    package func invitations(to space: ID, for owner: Subject) async throws -> [Invitations.Row] {
        try await transactions.run(.snapshot, in: space) { [members, invitations] session in
            let rows = try session.pipeline([members.listing(space), invitations.listing(space)])
            try Members.Row.all(rows[0]).require(.owner, of: owner)
            return Invitations.Row.all(rows[1])
        }
    }

    /// Makes an invitation void; nothing where there is none.
    ///
    /// - Parameter owner: who asks, an owner.
    /// - Throws: as `invitations`.
    package func withdraw(_ invitation: ID, to space: ID, by owner: Subject) async throws {
        try await changing(space, .owner, by: owner) { [invitations] _, session in
            _ = try session.execute(invitations.withdrawing(invitation, to: space))
        }
    }

    /// Takes up an invitation.
    ///
    /// - Returns: the space, and the role that the subject has there now.
    /// - Throws: `SharingError.noSuchInvitation`, whether it expired, was accepted or withdrawn, never was, or was made
    ///   by somebody who owns the space no more; `tooManyMembers`, `tokenEnded`; `PGError`.
    package func accept(_ secret: Secret, by actor: Actor) async throws -> (space: ID, role: SpaceRole) {
        guard secret.isWellFormed(as: .invitation) else { throw SharingError.noSuchInvitation }
        let rows = try await transactions.runOutside { [invitations, quotas] session in
            let rows = try session.pipeline(
                standing(actor) + [
                    invitations.accepting(
                        secret.hash, by: actor.subject, membersMax: quotas.members, spacesMax: quotas.spaces)
                ])
            guard rows[1].bool(0, 0) else { throw SharingError.tokenEnded }
            return rows[2]
        }
        guard rows.count > 0 else { throw SharingError.noSuchInvitation }
        guard let role = rows.stringIfPresent(0, 1).flatMap({ SpaceRole(rawValue: $0) }) else {
            throw SharingError.tooManyMembers(most: quotas.members)
        }
        return (rows.id(0, 0), role)
    }

    /// Takes the actor's lock, and asks whether its token still stands for it.
    private func standing(_ actor: Actor) -> [Command] {
        [
            members.locking(actor.subject),
            members.asking(actor.subject, token: actor.token, issued: actor.issued),
        ]
    }

    /// Changes who is in a space, who is invited, or that there is one: the one place where that is done. Nobody else
    /// does meanwhile.
    ///
    /// - Parameters:
    ///   - role: the least that it takes.
    ///   - actor: who asks; `nil` of an operator.
    ///   - body: given who is in the space.
    /// - Throws: `SharingError.erased`, `notAMember`, `takesARole`; what `body` throws; `PGError`.
    func changing<Value: Sendable>(
        _ space: ID, _ role: SpaceRole, by actor: Subject?,
        _ body: @Sendable ([Members.Row], isolated Session) throws -> Value
    ) async throws -> Value {
        try await transactions.run(in: space) { [members, spaces] session in
            try session.execute(members.locking(space))
            // Other statements: they see what those did who held the lock before.
            let rows = try session.pipeline([spaces.readingHead(space), members.listing(space)])
            let present = Members.Row.all(rows[1])
            try present.require(role, of: actor)
            if spaces.isErased(SpaceState(rows[0], rights: 7)) { throw SharingError.erased }
            return try body(present, session)
        }
    }
}

extension Invitations {
    /// What goes with the right to invite.
    fileprivate func voiding(madeBy subject: Subject, to space: ID) -> [Command] {
        PlantedBug.offersOutlive.isPlanted ? [] : [withdrawing(madeBy: subject, to: space)]
    }
}

extension [Members.Row] {
    /// - Parameter actor: `nil` of an operator, who may everything.
    /// - Throws: `SharingError.notAMember`, `takesARole`, where the actor is less than `role` in the space.
    func require(_ role: SpaceRole, of actor: Subject?) throws(SharingError) {
        guard let actor else { return }
        guard let own = first(where: { $0.subject == actor }).flatMap({ SpaceRole(rawValue: $0.role) }) else {
            throw .notAMember
        }
        guard own >= role else { throw .takesARole(role, yours: own) }
    }

    /// Whether somebody else owns the space; who owns nothing can always go.
    func haveAnotherOwner(than subject: Subject) -> Bool {
        let owners = filter { $0.role == SpaceRole.owner.rawValue }.map(\.subject)
        return !owners.contains(subject) || owners.count > 1
    }
}

/// Why what somebody wants with the members of a space cannot be.
package enum SharingError: Error, Hashable, Sendable {
    /// Who asks is not in the space, or no more.
    case notAMember
    case takesARole(SpaceRole, yours: SpaceRole)
    /// The token was revoked, or its subject's account was erased after it was issued.
    case tokenEnded
    /// The space was erased.
    case erased
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

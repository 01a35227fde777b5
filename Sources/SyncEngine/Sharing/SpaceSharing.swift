package import PGStore
import PlantedBugs
import Postgres
package import WireFormats

/// The members of an app's spaces, and the invitations to them.
package struct SpaceSharing: Sendable {
    private let transactions: SpaceTransactions
    private let members: Members
    private let invitations: Invitations
    private let spaces: Spaces
    private let erasures: Erasures
    private let quotas: Quotas
    let notices: SpaceNotices

    /// The most invitations to a space that wait for acceptance.
    package static let invitationsMax = 50
    /// The default lifetime of an invitation; `invitationLifetimeMax` is the longest.
    package static let invitationLifetime = Duration.seconds(7 * 24 * 3600)
    package static let invitationLifetimeMax = Duration.seconds(30 * 24 * 3600)

    package init(app: String, databases: Databases, quotas: Quotas = Quotas()) {
        self.quotas = quotas
        transactions = SpaceTransactions(pool: databases.directory)
        notices = SpaceNotices(app: app, databases: databases)
        erasures = Erasures(app: app)
        members = Members(app: app)
        invitations = Invitations(app: app)
        spaces = Spaces(app: app)
    }

    /// Returns the spaces of which a subject is a member, the oldest first.
    ///
    /// - Throws: `PGError`.
    package func spaces(of subject: Subject) async throws -> [Members.JoinedRow] {
        Members.JoinedRow.all(try await transactions.ask(members.listingSpaces(of: subject)))
    }

    /// Creates a space that the actor owns.
    ///
    /// - Parameter isPersonal: true for the space that `me` refers to. If the actor has one already, it is returned.
    /// - Throws: `SharingError.tokenEnded`, `tooManySpaces`; `PGError`.
    package func makeSpace(for actor: Actor, isPersonal: Bool = false) async throws -> ID {
        let new = ID.random()
        let space = try await transactions.run(in: new) { [members, spaces, quotas] session in
            let rows = try session.pipeline(
                checkingToken(actor) + [members.counting(actor.subject), members.listingSpaces(of: actor.subject)])
            guard rows[1].bool(0, 0) else { throw SharingError.tokenEnded }
            if isPersonal, let personal = Members.JoinedRow.all(rows[3]).first(where: \.isPersonal) {
                return personal.space
            }
            // The personal space does not count towards the quota: without it a client could not begin. But it is free
            // only once, not after each erasure.
            guard rows[2].number < quotas.spaces + (isPersonal ? 1 : 0) else {
                throw SharingError.tooManySpaces(most: quotas.spaces)
            }
            let adding = members.adding(
                actor.subject, as: SpaceRole.owner.rawValue, isPersonal: isPersonal, to: new)
            _ = try session.pipeline([spaces.creating(new), adding])
            return new
        }
        if space == new { try await notices.begin(space) }
        return space
    }

    /// Lists the members of a space, the oldest membership first.
    ///
    /// - Parameter reader: the caller, who must be a member; `nil` for an operator, and for a token that names the
    ///   space.
    /// - Throws: `SharingError.notAMember`, `PGError`.
    package func members(of space: ID, for reader: Subject? = nil) async throws -> [Members.Row] {
        try await transactions.run(.snapshot, in: space) { [members] session in
            let rows = Members.Row.all(try session.execute(members.listing(space)))
            try rows.require(.reader, of: reader)
            return rows
        }
    }

    /// Gives a member another role. The invitations of a member who is no longer an owner become void.
    ///
    /// - Parameter actor: the caller, who must be an owner; `nil` for an operator.
    /// - Throws: `SharingError.notAMember`, `takesARole`; `erased`; `noSuchMember`; `lastOwner`, if nobody would own
    ///   the space; `PGError`.
    package func change(_ subject: Subject, to role: SpaceRole, in space: ID, by actor: Subject? = nil) async throws {
        try await changing(space, .owner, by: actor) { [members, invitations] rows, session in
            guard rows.contains(where: { $0.subject == subject }) else { throw SharingError.noSuchMember }
            guard role == .owner || rows.haveAnotherOwner(than: subject) else { throw SharingError.lastOwner }
            _ = try session.pipeline(
                [members.changing(subject, to: role.rawValue, in: space)]
                    + (role == .owner ? [] : invitations.voiding(madeBy: subject, to: space)))
        }
    }

    /// Removes a member from a space, or lets a member leave. The member's invitations become void.
    ///
    /// - Parameter actor: the caller, who must be the member or an owner; `nil` for an operator.
    /// - Throws: `SharingError.notAMember`, `takesARole`; `erased`; `noSuchMember`; `lastOwner`, if nobody would own
    ///   the space; `PGError`.
    package func remove(_ subject: Subject, from space: ID, by actor: Subject? = nil) async throws {
        try await changing(space, subject == actor ? .reader : .owner, by: actor) {
            [members, invitations] rows, session in
            guard rows.contains(where: { $0.subject == subject }) else { throw SharingError.noSuchMember }
            guard rows.haveAnotherOwner(than: subject) else { throw SharingError.lastOwner }
            _ = try session.pipeline(
                [members.removing(subject, from: space)] + invitations.voiding(madeBy: subject, to: space))
        }
    }

    /// Adds a member, or changes a member's role; for operators.
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
        try await notices.begin(space)
    }

    /// Creates an invitation, which anybody with its secret may accept.
    ///
    /// - Parameter subject: the caller, who must be an owner.
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

    /// Lists the valid invitations to a space.
    ///
    /// - Parameter owner: the caller, who must be an owner.
    /// - Throws: `SharingError.notAMember`, `takesARole`; `PGError`.
    package func invitations(to space: ID, for owner: Subject) async throws -> [Invitations.Row] {
        try await transactions.run(.snapshot, in: space) { [members, invitations] session in
            let rows = try session.pipeline([members.listing(space), invitations.listing(space)])
            try Members.Row.all(rows[0]).require(.owner, of: owner)
            return Invitations.Row.all(rows[1])
        }
    }

    /// Makes an invitation void; does nothing if there is none.
    ///
    /// - Parameter owner: the caller, who must be an owner.
    /// - Throws: `SharingError.erased`, `notAMember`, `takesARole`; `PGError`.
    package func withdraw(_ invitation: ID, to space: ID, by owner: Subject) async throws {
        try await changing(space, .owner, by: owner) { [invitations] _, session in
            _ = try session.execute(invitations.withdrawing(invitation, to: space))
        }
    }

    /// Accepts an invitation.
    ///
    /// - Returns: the space, and the role that the subject has there now.
    /// - Throws: `SharingError.noSuchInvitation`, if the invitation expired, was accepted or withdrawn, never existed,
    ///   or was made by somebody who no longer owns the space; `tooManyMembers`, `tokenEnded`; `PGError`.
    package func accept(_ secret: Secret, by actor: Actor) async throws -> (space: ID, role: SpaceRole) {
        guard secret.isWellFormed(as: .invitation) else { throw SharingError.noSuchInvitation }
        let rows = try await transactions.runOutside { [invitations, quotas] session in
            let rows = try session.pipeline(
                checkingToken(actor) + [
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

    /// Returns the commands that lock the actor's subject until the transaction ends, and check that its token is still
    /// valid.
    private func checkingToken(_ actor: Actor) -> [Command] {
        [
            members.locking(actor.subject),
            members.asking(actor.subject, token: actor.token, issued: actor.issued),
        ]
    }

    /// Runs a change of a space's members or invitations, or of the space itself. In each space, these changes run one
    /// at a time. If another database serves the space, that database is told then how often rights were taken away.
    ///
    /// - Parameters:
    ///   - role: the least role that the change requires.
    ///   - actor: the caller; `nil` for an operator.
    ///   - body: receives the members of the space, and makes the change.
    /// - Throws: `SharingError.erased`, `notAMember`, `takesARole`; errors of `body`; `PGError`. `SyncError.elsewhere`
    ///   and `SyncError.unreachable`, if the space's database could not be told; the change itself is made then.
    func changing<Value: Sendable>(
        _ space: ID, _ role: SpaceRole, by actor: Subject?,
        _ body: @Sendable ([Members.Row], isolated Session) throws -> Value
    ) async throws -> Value {
        let (value, isHere) = try await transactions.run(in: space) { [members, spaces, erasures] session in
            try session.execute(Spaces.keepingHere)
            try session.execute(members.locking(space))
            // Separate statements, so that they see the changes of those who held the lock before.
            let rows = try session.pipeline([
                spaces.readingHead(space), members.listing(space), erasures.reading(space),
            ])
            let present = Members.Row.all(rows[1])
            try present.require(role, of: actor)
            let state = SpaceState(rows[0])
            if spaces.isErased(state) || rows[2].count > 0 { throw SharingError.erased }
            return (try body(present, session), state.isHere)
        }
        if !isHere { try await notices.tellRevocations(in: space) }
        return value
    }
}

extension Invitations {
    /// Returns the commands that make all invitations by a subject to a space void, because the subject loses the right
    /// to invite.
    fileprivate func voiding(madeBy subject: Subject, to space: ID) -> [Command] {
        PlantedBug.offersOutlive.isPlanted ? [] : [withdrawing(madeBy: subject, to: space)]
    }
}

extension [Members.Row] {
    /// Checks that the actor has at least a certain role in the space.
    ///
    /// - Parameter actor: the caller; `nil` for an operator, who may do everything.
    /// - Throws: `SharingError.notAMember`, `takesARole`, if the actor's role in the space is below `role`.
    func require(_ role: SpaceRole, of actor: Subject?) throws(SharingError) {
        guard let actor else { return }
        guard let own = first(where: { $0.subject == actor }).flatMap({ SpaceRole(rawValue: $0.role) }) else {
            throw .notAMember
        }
        guard own >= role else { throw .takesARole(role, yours: own) }
    }

    /// Returns true if the subject may leave the space or lose its role: another owner exists, or the subject is not an
    /// owner.
    func haveAnotherOwner(than subject: Subject) -> Bool {
        let owners = filter { $0.role == SpaceRole.owner.rawValue }.map(\.subject)
        return !owners.contains(subject) || owners.count > 1
    }
}

/// The reasons why a request about a space or its members is refused.
package enum SharingError: Error, Hashable, Sendable {
    /// The caller is not a member of the space, or no longer.
    case notAMember
    case takesARole(SpaceRole, yours: SpaceRole)
    /// The token was revoked, or its subject's account was erased after it was issued.
    case tokenEnded
    /// The space was erased.
    case erased
    case noSuchMember
    /// The change would leave the space without an owner.
    case lastOwner
    case noSuchInvitation
    case tooManyMembers(most: Int)
    case tooManyInvitations
    case tooManySpaces(most: Int)
    /// The subject whose account is to be erased is the only owner of spaces with other members.
    case sharedSpaces([ID])
}

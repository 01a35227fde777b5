import HTTPServer
import PGStore
import StrictJSON
import SyncEngine
import WireFormats

/// The operations on the members of a space, or on the space itself.
struct SharingRoutes {
    let request: HTTPRequest
    let path: PathTemplate
    let access: SpaceAccess

    private var sharing: SpaceSharing { access.engine.sharing }

    func answer(_ operation: SharingOperation) async throws -> HTTPResponse {
        switch operation {
        case .listMembers: try await listMembers()
        case .changeMember: try await changeMember()
        case .removeMember: try await removeMember()
        case .listInvitations: try await listInvitations()
        case .invite: try await invite()
        case .withdrawInvitation: try await withdraw()
        case .eraseSpace: try await erase()
        }
    }

    /// `GET …/members`: the members of the space.
    private func listMembers() async throws -> HTTPResponse {
        // A token that names the space may read the members even if its subject is not one.
        let reader = access.isNamed ? nil : access.grant.subject
        let members = try await sharing.members(of: access.space, for: reader)
        return .private { writer in
            writer.member(BodyMember.members, each: members) { writer, member in
                writer.beginObject()
                writer.member(BodyMember.subject, member.subject.text)
                writer.member(BodyMember.role, member.role)
                writer.member(BodyMember.you, member.subject == access.grant.subject)
                writer.key(BodyMember.since)
                writer.timestamp(member.since)
                writer.endObject()
            }
        }
    }

    /// `PUT …/members/{subject}`: gives a member another role.
    private func changeMember() async throws -> HTTPResponse {
        let subject = try subject()
        let role = try SmallBody(request, members: [BodyMember.role]).role(BodyMember.role)
        try await sharing.change(subject, to: role, in: access.space, by: access.grant.subject)
        return .private { writer in
            writer.member(BodyMember.subject, subject.text)
            writer.member(BodyMember.role, role.rawValue)
        }
    }

    /// `DELETE …/members/{subject}`: removes the caller, or, if the caller is an owner, any member.
    private func removeMember() async throws -> HTTPResponse {
        let subject = try subject()
        // A token that may only read has the role of a reader, whatever the role of its subject.
        guard access.grant.role == .write else { throw Problem.forbidden("The token may only read.") }
        try await sharing.remove(subject, from: access.space, by: access.grant.subject)
        return .gone
    }

    /// `GET …/invitations`: the open invitations to the space.
    private func listInvitations() async throws -> HTTPResponse {
        let invitations = try await sharing.invitations(to: access.space, for: access.grant.subject)
        return .private { writer in
            writer.member(BodyMember.invitations, each: invitations) { writer, invitation in
                writer.beginObject()
                writer.invitation(invitation)
                writer.endObject()
            }
        }
    }

    /// `POST …/invitations`: makes an invitation.
    private func invite() async throws -> HTTPResponse {
        let body = try SmallBody(request, members: [BodyMember.role, BodyMember.lifetime])
        let longest = SpaceSharing.invitationLifetimeMax.components.seconds
        let lifetime = try body.number(BodyMember.lifetime, in: 1...longest).map { Duration.seconds($0) }
        let (invitation, secret) = try await sharing.invite(
            as: body.role(BodyMember.role), for: lifetime ?? SpaceSharing.invitationLifetime, by: access.grant.subject,
            to: access.space)
        return .private(status: 201) { writer in
            writer.invitation(invitation)
            writer.member(BodyMember.secret, secret.text)
        }
    }

    /// `DELETE …/invitations/{invitation}`: withdraws an invitation.
    private func withdraw() async throws -> HTTPResponse {
        guard let invitation = ID(path.value(of: .invitation, in: request.segments)) else {
            throw Problem.notFound("An invitation is a UUID.")
        }
        try await sharing.withdraw(invitation, to: access.space, by: access.grant.subject)
        return .gone
    }

    /// `DELETE …/spaces/{space}`: erases the space.
    private func erase() async throws -> HTTPResponse {
        var receipt = Erasing.Receipt()
        try await access.engine.erasing.erase(access.space, by: access.grant.subject, into: &receipt)
        return .private { $0.receipt(receipt) }
    }

    private func subject() throws(Problem) -> Subject {
        let subject = path.value(of: .subject, in: request.segments)
        guard (1...Subject.sizeMaxBytes).contains(subject.utf8.count), !subject.utf8.contains(0) else {
            throw .notFound("The space has no such member.")
        }
        return Subject(subject)
    }
}

extension HTTPResponse {
    /// A success without a body.
    fileprivate static let gone = HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
}

extension JSONWriter {
    fileprivate mutating func invitation(_ invitation: Invitations.Row) {
        member(BodyMember.invitation, invitation.id)
        member(BodyMember.role, invitation.role)
        member(BodyMember.madeBy, invitation.madeBy.text)
        key(BodyMember.made)
        timestamp(invitation.madeAt)
        key(BodyMember.expires)
        timestamp(invitation.expiresAt)
    }
}

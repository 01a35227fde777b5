import HTTPServer
import PGStore
import StrictJSON
package import SyncEngine
import WireFormats

/// The operations of a subject that are not about one particular space.
struct AccountRoutes {
    let request: HTTPRequest
    let access: AccountAccess

    func answer(_ operation: AccountOperation) async throws -> HTTPResponse {
        switch operation {
        case .listSpaces: try await listSpaces()
        case .makeSpace: try await makeSpace()
        case .acceptInvitation: try await accept()
        case .eraseAccount: try await erase()
        }
    }

    /// `GET …/spaces`: the spaces that the subject is a member of, and the spaces that the token names.
    private func listSpaces() async throws -> HTTPResponse {
        let joined = try await access.engine.sharing.spaces(of: access.grant.subject)
        let (app, grant) = (access.engine.plan.app, access.grant)
        let named = grant.spaces.filter { space in !joined.contains { $0.space == space } }
        return .private { writer in
            writer.member(BodyMember.spaces, each: named.map { ($0, nil) } + joined.map { ($0.space, $0) }) {
                (writer, entry: (space: ID, joined: Members.JoinedRow?)) in
                let role = grant.role(in: SpaceName(app: app, space: entry.space)) ?? .reader
                writer.beginObject()
                writer.member(BodyMember.space, entry.space)
                writer.member(BodyMember.role, role.rawValue)
                writer.member(BodyMember.personal, entry.joined?.isPersonal ?? false)
                if let joined = entry.joined {
                    writer.member(BodyMember.members, joined.members)
                    writer.key(BodyMember.since)
                    writer.timestamp(joined.since)
                }
                writer.endObject()
            }
        }
    }

    /// `POST …/spaces`: makes a space that the subject owns.
    private func makeSpace() async throws -> HTTPResponse {
        _ = try SmallBody(request, members: [])
        let space = try await access.engine.sharing.makeSpace(for: access.actor)
        return .private(status: 201) { writer in
            writer.member(BodyMember.space, space)
            writer.member(BodyMember.role, SpaceRole.owner.rawValue)
        }
    }

    /// `POST …/invitations/accept`: makes the subject a member of the space of an invitation. The invitation's secret
    /// is sent in the body, because proxies log URLs.
    private func accept() async throws -> HTTPResponse {
        let body = try SmallBody(request, members: [BodyMember.secret])
        let secret = Secret(presented: try body.text(BodyMember.secret))
        let (space, role) = try await access.engine.sharing.accept(secret, by: access.actor)
        return .private { writer in
            writer.member(BodyMember.space, space)
            writer.member(BodyMember.role, role.rawValue)
        }
    }

    /// `DELETE …/account`: erases the subject's account.
    private func erase() async throws -> HTTPResponse {
        let receipt = try await access.engine.erasing.erase(accountOf: access.actor)
        return .private { $0.receipt(receipt) }
    }
}

extension HTTPResponse {
    /// Returns a JSON response that no cache may store.
    static func `private`(status: Int = 200, _ content: (inout JSONWriter) -> Void) -> HTTPResponse {
        var response = HTTPResponse.json { writer in
            writer.beginObject()
            content(&writer)
            writer.endObject()
        }
        response.status = status
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}

extension JSONWriter {
    /// Writes the receipt of an erasure: the erased spaces and the number of rows by table.
    package mutating func receipt(_ receipt: Erasing.Receipt) {
        member(BodyMember.spaces, each: receipt.spaces) { writer, space in writer.string(space.description) }
        object(BodyMember.rows) { writer in
            for (table, count) in receipt.rows { writer.member(table, count) }
        }
        member(BodyMember.total, receipt.count)
    }
}

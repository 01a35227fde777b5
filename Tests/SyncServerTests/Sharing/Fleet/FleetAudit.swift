import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import WireFormats

/// The members in the database, read while no request is running.
struct FleetAudit: Sendable {
    private(set) var spaces: [ID: MemberModel] = [:]
    /// All records of the tables that members push into.
    private(set) var records: [ID: Set<ID>] = [:]
    /// The space that `me` is for each subject.
    private(set) var personal: [Subject: ID] = [:]

    /// - Parameter session: of a superuser.
    init(_ session: isolated Session) throws {
        let members = try session.execute(
            "SELECT space_id, subject, role, is_personal FROM sync.member WHERE app = 'fitiq'")
        for row in 0..<members.count {
            let (space, subject) = (members.id(row, 0), Subject(members.string(row, 1)))
            spaces[space, default: MemberModel()].members[subject] = SpaceRole(rawValue: members.string(row, 2))
            if members.bool(row, 3) { personal[subject] = space }
        }
        let offers = try session.execute(
            "SELECT space_id, invitation_id, role, made_by FROM sync.invitation WHERE app = 'fitiq'")
        for row in 0..<offers.count {
            guard let role = SpaceRole(rawValue: offers.string(row, 2)) else { continue }
            let offer = MemberModel.Offer(role: role, maker: Subject(offers.string(row, 3)))
            spaces[offers.id(row, 0), default: MemberModel()].offers[offers.id(row, 1)] = offer
        }
        let erased = try session.execute("SELECT space_id FROM sync.erasure WHERE app = 'fitiq'")
        for row in 0..<erased.count { spaces[erased.id(row, 0), default: MemberModel()].isErased = true }
        let stored = try session.execute("SELECT space_id, id FROM fitiq.sd_meal")
        for row in 0..<stored.count { records[stored.id(row, 0), default: []].insert(stored.id(row, 1)) }
    }

    static func taken(of server: TestServer) async throws -> FleetAudit {
        let session = try await Session.open(server.database.superuserConnectionString)
        let audit = try await FleetAudit(session)
        await session.close()
        return audit
    }
}

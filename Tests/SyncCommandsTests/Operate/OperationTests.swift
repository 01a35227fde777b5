import Operations
import PGStore
import Postgres
import SyncEngine
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Operations as a program without a command line uses them.
@Suite struct OperationTests {
    @Test func aTokenIsMadeReplacedAndRevoked() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await OwnerDatabase(database.connectionString).withSession { session in
                let tokens = Tokens(session)
                let grant = Grant(app: "fitiq", subject: "anna", role: .write, spaces: [.random()])
                let first = try await tokens.create(grant, until: .after(.seconds(3_600)))
                let second = try await tokens.rotate(first.id)
                #expect(second.replaced == first.id && second.new.grant == grant)
                #expect(second.replacedEnds == first.expires, "it would end before the grace does")
                let (all, now) = try await tokens.all(subject: "anna")
                #expect(all.map(\.id) == [first.id, second.new.id])
                #expect(all.allSatisfy { $0.state(at: now) == .valid })
                #expect(try await tokens.revoke(second.new.id) == .valid)
                #expect(try await tokens.revoke(second.new.id) == .revoked)
                let actions = try await AuditLog(session).events(most: 10).map(\.action)
                #expect(actions == ["token revoke", "token rotate", "token create"])
            }
        }
    }

    @Test func errorsSayWhatIsWrongWithoutNamingCommands() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await OwnerDatabase(database.connectionString).withSession { session in
                let tokens = Tokens(session)
                let grant = Grant(app: "fitiq", subject: "anna", role: .read, spaces: [])
                let token = try await tokens.create(grant)
                #expect(try await tokens.revoke(token.id) == .valid)
                await #expect(throws: TokenError.notValid(token.id, .revoked)) { try await tokens.rotate(token.id) }
                let unknown = TokenID(ofHash: Secret().hash)
                await #expect(throws: TokenError.unknown(unknown)) { try await tokens.revoke(unknown) }
                let past = Timestamp(microseconds: 0)
                await #expect(throws: PastMoment.self) { try await tokens.create(grant, until: .at(past)) }
            }
        }
    }

    /// The serving role may change a quota, and may not write the audit.
    @Test func aLoginThatOwnsNoTablesLearnsThatTheAuditLacksTheAction() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            try await server.withEngine { engine in
                let owner = OwnerDatabase(server.database.servingConnectionString)
                let quota = SpaceQuota(of: server.space, engine, owner: owner)
                let (holding, entry) = try await quota.set(records: .most(7), bytes: nil)
                #expect(holding.recordsMax == 7 && holding.bytesMax == nil)
                #expect(entry == .notPermitted)
                let absent = ID.random()
                await #expect(throws: SpaceError.untouched(absent, app: server.plan.app)) {
                    try await SpaceQuota(of: absent, engine, owner: owner).show()
                }
            }
        }
    }
}

import Foundation
import PlantedBugs
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Who may have stored and read what, while members come and go: whatever they ask for at the same time, by two
/// servers.
/// `MEMBER_STEPS` and `MEMBER_SEED` say how long and which.
@Suite(.serialized) struct MemberFleetTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let steps = environment["MEMBER_STEPS"].flatMap { Int($0) } ?? 1_000
    private static let seed = environment["MEMBER_SEED"].flatMap { UInt64($0) } ?? .random(in: .min ... .max)
    /// Each is found in a few drills.
    private static let stepsToFind = 6_000

    /// A mistake of the server's, and what makes it likely to be met.
    struct Plant: Sendable, CustomTestStringConvertible {
        let bug: PlantedBug
        let drill: FleetDrill

        var testDescription: String { bug.rawValue }

        static let all = [
            Plant(bug: .subjectsAsUnicode, drill: .twins), Plant(bug: .rightsRemembered, drill: .removal),
            Plant(bug: .offersOutlive, drill: .offers), Plant(bug: .leavesAsListed, drill: .leaving),
        ]
    }

    @Test func someOrderExplainsWhateverMembersReceive() async throws {
        let report = try await MemberFleetTests.run(steps: MemberFleetTests.steps, seed: MemberFleetTests.seed)
        print(report)
        #expect(report.fault == nil, "\(report)")
    }

    @Test(arguments: Plant.all)
    func aPlantedBugIsFound(plant: Plant) async throws {
        let seed = MemberFleetTests.seed
        let report = try await MemberFleetTests.run(
            plant.drill, steps: MemberFleetTests.stepsToFind, seed: seed, planting: plant.bug)
        print("\(plant.bug.rawValue): \(report)")
        #expect(report.fault != nil, "\(plant.bug.rawValue) was not found: \(report)")
        let clean = try await MemberFleetTests.run(plant.drill, steps: report.steps, seed: seed)
        #expect(clean.fault == nil, "\(clean)")
    }

    /// - Parameter drill: the only one; all of them, where it is not given.
    static func run(
        _ drill: FleetDrill? = nil, steps: Int, seed: UInt64, planting bug: PlantedBug? = nil
    ) async throws -> MemberFleet.Report {
        let key = SigningKey("ES256", id: "key")
        let issuer = try TestIssuer([key])
        let folder = try TemporaryDirectory()
        let identity = folder.path + "/identity.json"
        try issuer.fileContents().text.write(toFile: identity, atomically: false, encoding: .utf8)
        let report = try await withTestServer { server in
            if drill == .offers { try await forgetMakers(server) }
            let processes = [ServerProcess(), ServerProcess()]
            var ports: [Int] = []
            for process in processes {
                ports.append(
                    try await process.start(
                        server.database.servingConnectionString, ["--identity", identity], planting: bug))
            }
            let fleet = MemberFleet(
                server, ports: ports, issuer: issuer, key: key, drills: drill.map { [$0] } ?? FleetDrill.allCases,
                seed: seed)
            let report = try await fleet.run(steps: steps)
            for process in processes { await process.kill9() }
            return report
        }
        await issuer.stop()
        return report
    }

    /// The database asks once more whether the maker of an invitation still owns the space: not here.
    private static func forgetMakers(_ server: TestServer) async throws {
        let session = try await Session.open(server.database.superuserConnectionString)
        let asking = "m.subject = found_one.made_by AND m.role = 'owner'"
        let text = try await session.execute(
            "SELECT pg_get_functiondef('sync.accept_invitation'::regproc)"
        ).string(0, 0)
        try #require(text.contains(asking))
        try await session.execute(Command(Statement(unchecked: text.replacing(asking, with: "true"))))
        await session.close()
    }
}

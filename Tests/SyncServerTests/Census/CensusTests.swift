import DemoApps
import Foundation
import Postgres
import SyncClient
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Tests of the census of devices and versions: its counts, when it is written, and no write per request.
@Suite struct CensusTests {
    private static let start: Int64 = 1_900_000_000
    private let clock = TestWallClock(seconds: start)
    private let phone = ID(high: 1, low: 1)
    private let tablet = ID(high: 1, low: 2)
    private let nobody = ID(high: 0, low: 0)
    private var start: Int64 { CensusTests.start }

    @Test("S2_04: every version that a device speaks is written, with its times")
    func everyVersionThatADeviceSpeaksIsWrittenWithItsTimes() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.pull(as: phone, "0.0.3")
            clock.advance(seconds: 2)
            try await server.pull(as: phone, "0.0.3")
            try await server.pull(as: phone, "0.1.1")
            try await server.pull(as: tablet, "0.1.0;fp=8de35ba91f04e2da")
            #expect(try await server.database.censusRows() == [], "nothing is written for a request")
            #expect(try await server.service.flushCensus() == 3)
            #expect(
                try await server.database.censusRows() == [
                    CensusRow(phone, "0.0.3", first: start, last: start + 2),
                    CensusRow(tablet, "0.1.0;fp=8de35ba91f04e2da", first: start + 2, last: start + 2),
                    CensusRow(phone, "0.1.1", first: start + 2, last: start + 2),
                ])
        }
    }

    /// A fingerprint that only repeats what the number means is no version of its own.
    @Test func theSameVersionStatedOtherwiseIsOneRow() async throws {
        try await withTestServer(now: clock.now) { server in
            let fingerprint = server.plan.schemas[server.plan.newest].fingerprint
            for name in ["0.1.1", "0.1.1;fp=\(fingerprint)", ";fp=\(fingerprint)"] {
                try await server.pull(as: phone, name)
            }
            try await server.service.flushCensus()
            #expect(try await server.database.censusRows().map(\.version) == ["0.1.1"])
        }
    }

    /// The app was updated with edits in its outbox: what reads them is still needed.
    @Test func aChangeThatNamesAnOlderVersionCountsAsItsUse() async throws {
        try await withTestServer(now: clock.now) { server in
            let device = server.device("0.1.1", id: phone)
            try await device.send([
                .create("SDMeal", .random(), at: moment(1), in: "0.0.6"),
                .create("SDMeal", .random(), at: moment(1), in: "0.1.1"),
            ])
            try await server.service.flushCensus()
            #expect(try await server.database.censusRows().map(\.version) == ["0.0.6", "0.1.1"])
        }
    }

    /// The server cannot merge it now, and will be asked again.
    @Test func aPushThatFailsCountsAsUseOfWhatItNames() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.database.run("REVOKE INSERT ON fitiq.sd_meal FROM syncserver_serving")
            let change = JSONValue.create("SDMeal", .random(), at: moment(1), in: "0.0.6")
            #expect(try await server.post([change]).status >= 500)
            try await server.service.flushCensus()
            #expect(try await server.database.censusRows().map(\.version) == ["0.0.6", "0.1.1"])
        }
    }

    @Test func whoeverStatesNoDeviceIsOneRowForEachVersion() async throws {
        try await withTestServer(now: clock.now) { server in
            for version in ["0.0.3", "0.1.1", "0.0.3"] { try await server.pull(as: nil, version) }
            try await server.service.flushCensus()
            #expect(
                try await server.database.censusRows() == [
                    CensusRow(nobody, "0.0.3", first: start, last: start),
                    CensusRow(nobody, "0.1.1", first: start, last: start),
                ])
        }
    }

    /// One token that states another device each time is not thousands of users; the version that it uses is in use all
    /// the same, and who was there before stays known.
    @Test func madeUpDevicesCountAsOneFromSomeNumberOn() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.pull(as: phone, "0.1.1")
            for _ in 0..<300 { try await server.pull(as: .random(), "0.0.3") }
            clock.advance(seconds: 400)
            try await server.pull(as: phone, "0.1.1")
            try await server.service.flushCensus()
            let rows = try await server.database.censusRows()
            #expect(rows.count == 101, "\(rows.count) rows")
            #expect(rows.contains { $0.device == nobody && $0.version == "0.0.3" })
            #expect(rows.contains(CensusRow(phone, "0.1.1", first: start, last: start + 400)))
            // Another space of the same subject has no allowance of its own; another subject has, in the same space.
            for (subject, space, isCounted) in [("test", ID.random(), false), ("other", server.space, true)] {
                let token = try await server.makeToken(spaces: [space], subject: subject)
                try await server.device("0.0.3", id: tablet, space: space, token: token).pullAll()
                try await server.service.flushCensus()
                #expect(try await server.database.censusRows().contains { $0.device == tablet } == isCounted)
            }
        }
    }

    /// As somebody would who wants an old version to stay: spaces cost nothing, and each was good for a hundred
    /// devices.
    @Test func oneUserWithManySpacesIsSeenToBeOne() async throws {
        try await withTestServer { server in
            let mallory = try await Person("mallory", server)
            for _ in 0..<3 {
                let space = try await mallory.makeSpace()
                for _ in 0..<60 { try await mallory.device("0.0.3", in: "\(space)").pullAll() }
            }
            try await Person("anna", server).device("0.0.3").pullAll()
            try await server.service.flushCensus()
            let named = try await server.database.censusRows().filter { $0.device != nobody }
            #expect(named.count == 101, "\(named.count) devices")
            let refused = try await CommandRun(
                ["version", "retire", "0.0.3", "--app", "fitiq"], database: server.database.connectionString)
            #expect(refused.errors.contains("102 devices of 2 subjects use 0.0.3"), "\(refused)")
            let status = try await CommandRun(
                ["version", "status", "--app", "fitiq", "--json"], database: server.database.connectionString)
            let versions = try JSONValue(parsing: Array(status.output.utf8))["versions"].elements
            let three = versions.first { $0["version"] == "0.0.3" }
            #expect(three?["devices"] == 102 && three?["subjects"] == 2 && three?["withoutSubject"] == 0, "\(status)")
        }
    }

    /// The census goes on to count the devices, and forgets whose they were; nor does what is written late name them
    /// again.
    @Test func anErasedAccountsDevicesAreNobodys() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            for person in [anna, bela] { try await person.device("0.0.3").pullAll() }
            try await server.service.flushCensus()
            #expect(try await subjects(server) == 2)
            try await anna.device("0.0.4").pullAll()
            #expect(try await anna.request("DELETE", "account").status == 200)
            #expect(try await subjects(server) == 1)
            try await server.service.flushCensus()
            #expect(try await subjects(server) == 1)
            #expect(try await server.database.censusRows().map(\.version) == ["0.0.3", "0.0.3", "0.0.4"])
        }
    }

    private func subjects(_ server: TestServer) async throws -> Int64 {
        let session = try await Session.open(server.database.superuserConnectionString)
        let count = try await session.execute("SELECT count(DISTINCT subject_hash) FROM sync.census_device").int(0, 0)
        await session.close()
        return count
    }

    @Test func whoeverIsRefusedIsNotCounted() async throws {
        try await withTestServer(now: clock.now) { server in
            #expect(try await server.pull(as: phone, "9.9.9") == 409)
            let reply = try await server.send("GET", changing: ["Authorization": "Bearer wrong"])
            #expect(reply.status == 401)
            #expect(try await server.service.flushCensus() == 0)
            #expect(try await server.database.censusRows() == [])
        }
    }

    @Test func outboxAgesAreKeptAsReportedAndNonsenseIsNoReport() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.pull(as: phone, "0.1.1", outboxAge: "259200")
            for nonsense in ["", "-1", "soon", "1.5", "99999999999", "99999999999999999999"] {
                #expect(try await server.pull(as: phone, "0.1.1", outboxAge: nonsense) == 200, "\(nonsense)")
            }
            try await server.pull(as: phone, "0.1.1")
            try await server.service.flushCensus()
            #expect(try await server.database.censusRows().map(\.outboxAge) == [259_200])
            clock.advance(seconds: 1)
            try await server.pull(as: phone, "0.1.1", outboxAge: "0")
            try await server.service.flushCensus()
            #expect(try await server.database.censusRows().map(\.outboxAge) == [0])
        }
    }

    @Test func ourOwnClientSaysHowOldItsOutboxIs() async throws {
        try await withTestServer(now: clock.now) { server in
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
            let endpoint = SpaceEndpoint(
                server: url, app: "fitiq", space: server.space.description, token: server.token)
            for (device, age) in [(phone, 77), (tablet, -5)] {
                let client = SpaceClient(
                    endpoint: endpoint, schema: server.plan.schemas[server.plan.newest], device: device)
                _ = try await client.push([], outboxAge: .seconds(age))
                _ = try await client.pull(after: nil)
            }
            let newDevice = SpaceClient(endpoint: endpoint, schema: server.plan.schemas[3], device: phone)
            _ = try await newDevice.pull(after: nil, outboxAge: .zero)
            try await server.service.flushCensus()
            #expect(
                try await server.database.censusRows() == [
                    CensusRow(phone, "0.0.4", first: start, last: start, outboxAge: 0),
                    CensusRow(phone, "0.1.1", first: start, last: start, outboxAge: 77),
                    CensusRow(tablet, "0.1.1", first: start, last: start, outboxAge: 0),
                ])
        }
    }

    @Test func aDeviceThatComesAgainSoonIsNotWrittenAgain() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.pull(as: phone, "0.1.1")
            #expect(try await server.service.flushCensus() == 1)
            let written = try await server.database.censusWrites()
            for _ in 0..<29 {
                clock.advance(seconds: 10)
                try await server.pull(as: phone, "0.1.1")
                #expect(try await server.service.flushCensus() == 0)
            }
            #expect(try await server.database.censusWrites() == written)
            clock.advance(seconds: 10)
            try await server.pull(as: phone, "0.1.1")
            #expect(try await server.service.flushCensus() == 1)
            #expect(try await server.database.censusWrites() != written)
            #expect(
                try await server.database.censusRows() == [CensusRow(phone, "0.1.1", first: start, last: start + 300)])
        }
    }

    @Test func twoServersThatSeeADeviceWriteItOnce() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.withSecondServer(now: clock.now) { other in
                try await server.pull(as: phone, "0.1.1", outboxAge: "100")
                clock.advance(seconds: 20)
                try await server.pull(as: phone, "0.1.1", from: other)
                try await server.pull(as: tablet, "0.0.3", from: other)
                #expect(try await server.service.flushCensus() == 1)
                let written = try await server.database.censusWrites()
                #expect(try await other.flushCensus() == 1, "the tablet alone")
                #expect(try await server.database.censusWrites().filter { written.contains($0) } == written)
            }
        }
    }

    @Test func aServerThatWritesLateTakesNothingBack() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.withSecondServer(now: clock.now) { late in
                try await server.pull(as: phone, "0.1.1", outboxAge: "5000", from: late)
                clock.advance(seconds: 600)
                try await server.pull(as: phone, "0.1.1", outboxAge: "0")
                try await server.service.flushCensus()
                #expect(try await late.flushCensus() == 0)
                let first = CensusRow(phone, "0.1.1", first: start + 600, last: start + 600, outboxAge: 0)
                #expect(try await server.database.censusRows() == [first])
                clock.advance(seconds: 300)
                try await server.pull(as: phone, "0.1.1", from: late)
                try await late.flushCensus()
                let second = CensusRow(phone, "0.1.1", first: start, last: start + 900, outboxAge: 0)
                #expect(try await server.database.censusRows() == [second])
            }
        }
    }

    @Test func aServerThatStopsWritesAndTheNextGoesOn() async throws {
        try await withTestServer(now: clock.now) { server in
            try await server.withSecondServer(now: clock.now) { first in
                try await server.pull(as: phone, "0.0.3", from: first)
            }
            #expect(
                try await server.database.censusRows() == [CensusRow(phone, "0.0.3", first: start, last: start)])
            let written = try await server.database.censusWrites()
            clock.advance(seconds: 60)
            try await server.withSecondServer(now: clock.now) { second in
                try await server.pull(as: phone, "0.0.3", from: second)
            }
            #expect(try await server.database.censusWrites() == written, "a restart does not write everyone again")
            clock.advance(seconds: 86_400)
            try await server.withSecondServer(now: clock.now) { third in
                try await server.pull(as: phone, "0.0.3", from: third)
            }
            #expect(
                try await server.database.censusRows() == [
                    CensusRow(phone, "0.0.3", first: start, last: start + 86_460)
                ]
            )
        }
    }

    @Test func whatCouldNotBeWrittenIsKeptAndWrittenLater() async throws {
        try await withTestServer(now: clock.now) { server in
            let function = "sync.see_devices"
            try await server.database.run("REVOKE EXECUTE ON FUNCTION \(function) FROM syncserver_serving")
            try await server.pull(as: phone, "0.0.3")
            for _ in 0..<2 {
                await #expect(throws: PGError.self) { try await server.service.flushCensus() }
                clock.advance(seconds: 10)
                #expect(try await server.pull(as: tablet, "0.1.1") == 200, "requests are answered meanwhile")
            }
            #expect(server.service.census.counts == (2, 2))
            try await server.database.run("GRANT EXECUTE ON FUNCTION \(function) TO syncserver_serving")
            #expect(try await server.service.flushCensus() == 2)
            #expect(
                try await server.database.censusRows() == [
                    CensusRow(phone, "0.0.3", first: start, last: start),
                    CensusRow(tablet, "0.1.1", first: start + 10, last: start + 20),
                ])
        }
    }
}

import DemoApps
import Glibc
import PGMigrations
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests of a server whose database accepts connections and never answers.
@Suite struct HungDatabaseTests {
    /// Without an end to the waits for the database it would stay for ever: the test does not wake the database before
    /// the server is gone.
    @Test func aStoppedServerIsGoneThoughTheDatabaseHangs() async throws {
        let cluster = try await EmbeddedCluster.start(directory: TestCluster.directory("hung"), durability: .throwaway)
        defer { cluster.demolish() }
        let lines = try Repository.migrations()
        try await Migrator(cluster.connectionString, lines: lines).up(contracts: .run)
        let (space, secret) = (ID.random(), Secret())
        let session = try await Session.open(cluster.connectionString)
        try await add(secret, Grant(app: nil, subject: "test", role: .write, spaces: [space]), session)
        await session.close()
        let (acknowledged, unanswered) = (ID.random(), ID.random())
        let process = ServerProcess()
        let device = try await device(space, secret, port: process.start(cluster.connectionString))
        try await device.push([.create("SDMeal", acknowledged, at: moment(1))])

        let hung = try await HungCluster(cluster)
        try hung.hang()
        do {
            async let answer = try? device.send([.create("SDMeal", unanswered, at: moment(1))])
            await process.terminate()
            try await eventually("the server is gone") { await !process.isRunning }
            #expect(await answer == nil)
        } catch {
            try hung.wake()
            throw error
        }
        try hung.wake()

        let next = ServerProcess()
        let reader = try await self.device(space, secret, port: next.start(cluster.connectionString))
        try await reader.pullAll()
        #expect(await reader.holds("SDMeal", acknowledged))
        await next.kill9()
    }

    @Test func aServerThatIsStoppedWhileItStartsIsGone() async throws {
        let listener = SilentListener()
        let database = try ConnectionString("host=127.0.0.1 port=\(listener.port) connect_timeout=0")
        let run = try await CommandRun(["serve", "--port", "0"], database: database) { process in
            try await eventually("it has connected") { listener.isConnected() }
            kill(process, SIGTERM)
        }
        #expect(run.status == 1 && !run.wasKilled, "\(run.errors)")
        withExtendedLifetime(listener) {}
    }

    private func add(_ secret: Secret, _ grant: Grant, _ session: isolated Session) throws {
        try TokenStore.add(secret, grant, session)
    }

    private func device(_ space: ID, _ secret: Secret, port: Int) throws -> TestDevice {
        TestDevice(
            client: TestClient(port: port), path: "/v1/apps/fitiq/spaces/\(space)/changes", token: secret.text,
            plan: try Plan(FitIQPlan.self), version: "0.1.1", id: .random(), mode: nil)
    }
}

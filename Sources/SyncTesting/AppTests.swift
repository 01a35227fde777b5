import Foundation
import PGMigrations
import PGStore
import Postgres
import SyncCommands
import SyncSimulator
public import WireFormats

/// What the tests of an app ask of its plan. Each check throws an `AppTestFailure` that says what is wrong, and how to
/// see it again.
///
/// ```swift
/// struct PantryTests {
///     let app = AppTests(PantryPlan.self)
///
///     @Test func lawsHold() async throws { try await app.checkLaws() }
///     @Test func publishedVersionsStay() throws { try app.checkPublished() }
///     @Test func versionsGetAlong() async throws { try await app.checkVersions() }
///     @Test func migrationsAgree() async throws { try await app.checkMigrations() }
/// }
/// ```
///
/// `checkVersions`, `checkBuilds`, `checkMigrations`, `checkFleet` and `withDatabase` start a PostgreSQL of their own,
/// which is gone with the process. It needs PostgreSQL's programs (Debian: `postgresql`), and no server that runs.
public struct AppTests: Sendable {
    let declaration: any SchemaMigrationPlan.Type
    /// The folder of migration files.
    let migrations: String
    /// The folder of golden records; `nil` for the usual one beside the migrations.
    let fixtures: String?

    /// - Parameters:
    ///   - declaration: the app's plan.
    ///   - migrations: the folder of migration files; without it, `Migrations` beside the `Package.swift` above `file`.
    ///   - fixtures: the folder of golden records; without it, `Tests/CompatTests/fixtures` beside that of migrations.
    ///   - file: the test's own.
    public init(
        _ declaration: any SchemaMigrationPlan.Type, migrations: String? = nil, fixtures: String? = nil,
        file: String = #filePath
    ) {
        self.declaration = declaration
        self.migrations = migrations ?? AppTests.package(above: file) + "/Migrations"
        self.fixtures = fixtures
    }

    /// Tries the lens laws (docs/versioning.md) with generated records.
    ///
    /// - Parameters:
    ///   - cases: how many for each entity of each version; without it, 3,000 over all of them.
    ///   - seed: what a failure names, to see it again.
    /// - Throws: `PlanError` where the plan does not compile; `AppTestFailure`.
    public func checkLaws(cases: Int? = nil, seed: UInt64 = AppTests.newSeed()) async throws {
        let report = await Laws.check(try Plan(declaration), cases: cases, seed: seed)
        if !report.isLawful { throw AppTestFailure("\(report)") }
    }

    /// Compares what was frozen with the plan, the migration files and the golden records.
    ///
    /// - Throws: `PlanError`; `AppTestFailure` for what departs from what was frozen; what cannot be read.
    public func checkPublished() throws {
        let plan = try Plan(declaration)
        let publication = try Publication(
            migrations: migrations, plans: [plan], lines: lines(of: plan), fixtures: fixtures)
        let problems = publication.problems()
        if !problems.isEmpty { throw AppTestFailure(problems.map { "\($0)" }.joined(separator: "\n")) }
    }

    /// Lets every version write and every version read what it wrote, on a server of its own: what `compat` does.
    ///
    /// - Throws: `PlanError`; `AppTestFailure` with the first request that shows each failure; what the server's start
    ///   says.
    public func checkVersions(seed: UInt64 = AppTests.newSeed()) async throws {
        let plan = try Plan(declaration)
        let all = Array(plan.shapes.indices)
        let outcomes = try await TemporaryServer.with(plan, lines: lines(of: plan)) { server in
            let run = CompatRun(plan: plan, server: server.url, space: "me", token: server.token, seed: seed)
            return try await run.run(writers: all, readers: all)
        }
        let report = CompatReport(plan: plan, seed: seed, outcomes: outcomes)
        if !report.isGreen { throw AppTestFailure(report.text) }
    }

    /// Lets builds of the app's own write and read, with every version: what `compat --client` does.
    ///
    /// - Parameter commands: by version, the command that starts a build of it, for `/bin/sh`; what it must answer is
    ///   in docs/testing-your-builds.md.
    /// - Throws: `PlanError`; `AppTestFailure` for a build that does not keep to the lines, or with the first request
    ///   that shows each failure, or for a version that the plan has not; what the server's start says.
    public func checkBuilds(_ commands: [String: String], seed: UInt64 = AppTests.newSeed()) async throws {
        let plan = try Plan(declaration)
        var clients: [Int: String] = [:]
        for (version, command) in commands { clients[try place(of: version, in: plan)] = command }
        let builds = clients.keys.sorted()
        let others = plan.shapes.indices.filter { clients[$0] == nil }
        let outcomes = try await TemporaryServer.with(plan, lines: lines(of: plan)) { [clients] server in
            let run = CompatRun(
                plan: plan, server: server.url, space: "me", token: server.token, seed: seed, clients: clients)
            do {
                try await run.checkClients()
            } catch let failure as CompatFailure {
                throw AppTestFailure("\(failure)")
            }
            return try await run.run(writers: builds, readers: Array(plan.shapes.indices))
                + run.run(writers: others, readers: builds)
        }
        let report = CompatReport(plan: plan, seed: seed, outcomes: outcomes)
        if !report.isGreen { throw AppTestFailure(report.text) }
    }

    private func place(of version: String, in plan: Plan) throws -> Int {
        if let place = ShapeName(version).flatMap({ plan.index(of: $0) }) { return place }
        let known = plan.schemas.map { "\($0.version)" }.joined(separator: ", ")
        throw AppTestFailure("\(plan.app) has no version ‘\(version)’; it has \(known).")
    }

    /// Compares what the migrations make of rows that are older than they are with what the conversions make of the
    /// same edits: for each version, a database that was filled while it was the newest and then migrated to the end,
    /// beside one that was at the end from the start.
    ///
    /// - Throws: `PlanError`; `AppTestFailure` that names versions and attributes; what a migration says.
    public func checkMigrations(seed: UInt64 = AppTests.newSeed()) async throws {
        let plan = try Plan(declaration)
        let lines = try lines(of: plan)
        let files = try await MigrationReach.files(plan, lines)
        for version in plan.schemas.indices {
            let trial = MigrationTrial(plan, at: version, lines: lines, files: files[version], seed: seed)
            let found = try await trial.differences()
            if found.isEmpty { continue }
            let left = found.count - AppTests.differencesNamedMax
            let text =
                found.prefix(AppTests.differencesNamedMax).joined(separator: "\n")
                + (left > 0 ? "\nand \(left) more" : "")
            throw AppTestFailure("\(found.count) differences, seed \(seed):\n\(text)")
        }
    }

    /// More would say the same again.
    private static let differencesNamedMax = 12

    /// Lets devices of several versions live through faults together: what `compat --fleet` does.
    ///
    /// - Parameters:
    ///   - devices: how many of which version, such as `["1.0.0": 2, "2.0.0": 3]`.
    ///   - server: the program that serves the app, built beside the tests: `.build/debug/pantry`.
    ///   - steps: a thousand take some seconds.
    ///   - seed: what a failure names, to see it again.
    /// - Throws: `PlanError`; `AppTestFailure` for a promise that was broken, or a version that the plan has not.
    public func checkFleet(
        _ devices: [String: Int], server: String, steps: Int = 2_000, seed: UInt64 = AppTests.newSeed()
    ) async throws {
        let plan = try Plan(declaration)
        var fleet: [Int] = []
        for (version, count) in devices.sorted(by: { $0.key < $1.key }) {
            fleet += Array(repeating: try place(of: version, in: plan), count: max(0, count))
        }
        if fleet.isEmpty {
            throw AppTestFailure("A fleet needs a device, such as [\"\(plan.schemas[0].version)\": 2].")
        }
        guard FileManager.default.isExecutableFile(atPath: server) else {
            throw AppTestFailure("\(server) is no program. Build the app's server first: swift build")
        }
        let simulation = try Simulation(declaration, Site.Program(executable: server, migrations: migrations))
        let setting = Simulation.Setting(fleet: fleet, faults: Set(Fault.allCases), steps: steps, seed: seed)
        let report: SimulationReport
        do {
            report = try await simulation.run(setting)
        } catch {
            await simulation.close()
            throw error
        }
        await simulation.close()
        if !report.isClean { throw AppTestFailure(report.text) }
    }

    /// Makes a database for `body`, with all migrations of the app applied, and drops it afterwards.
    ///
    /// - Parameter body: gets what libpq connects with (manual, section 34.1.1), as the owner of the tables.
    /// - Throws: `PlanError`; what a migration says; what `body` throws.
    public func withDatabase<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        try await withTestDatabase(migrated: lines(of: try Plan(declaration))) { database in
            try await body(database.connectionString.textRevealingSecrets)
        }
    }

    /// A seed that nobody has chosen.
    public static func newSeed() -> UInt64 { .random(in: 1...UInt64(Int64.max)) }

    private func lines(of plan: Plan) throws -> [MigrationLine] {
        let lines = try MigrationLine.readAll(directory: migrations, apps: [plan.app])
        guard lines.contains(where: { $0.name == plan.app }) else {
            throw AppTestFailure("\(migrations) has no folder ‘\(plan.app)’ of migration files.")
        }
        return lines
    }

    /// The folder of the package that `file` belongs to; the file's own where there is none.
    private static func package(above file: String) -> String {
        var folder = URL(filePath: file).deletingLastPathComponent()
        let own = folder.path
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
                return folder.path
            }
            folder.deleteLastPathComponent()
        }
        return own
    }
}

/// What an app's test has found.
public struct AppTestFailure: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

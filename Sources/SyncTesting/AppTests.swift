import Foundation
import PGMigrations
import PGStore
import Postgres
import SyncCommands
import SyncSimulator
public import WireFormats

/// Checks of an app's plan for use in the app's own tests. Each check throws an `AppTestFailure`, which describes the
/// fault and how to reproduce it.
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
/// `checkVersions`, `checkBuilds`, `checkMigrations`, `checkFleet` and `withDatabase` start a PostgreSQL server of
/// their own, which ends with the process. They need PostgreSQL's programs (Debian: `postgresql`), and no running
/// server.
public struct AppTests: Sendable {
    let declaration: any SchemaMigrationPlan.Type
    /// The path of the folder of migration files.
    let migrations: String
    /// The path of the folder of golden records (files with records of each published version); `nil` for the usual
    /// folder beside the migrations.
    let fixtures: String?

    /// Makes the checks for an app.
    ///
    /// - Parameters:
    ///   - declaration: the app's plan.
    ///   - migrations: the folder of migration files. Without it, this is `Migrations` beside the `Package.swift` of
    ///     the package to which `file` belongs.
    ///   - fixtures: the folder of golden records (files with records of each published version). Without it, this is
    ///     `Tests/CompatTests/fixtures` in the folder that contains the migrations' folder.
    ///   - file: the path of the test's own source file.
    public init(
        _ declaration: any SchemaMigrationPlan.Type, migrations: String? = nil, fixtures: String? = nil,
        file: String = #filePath
    ) {
        self.declaration = declaration
        self.migrations = migrations ?? AppTests.package(above: file) + "/Migrations"
        self.fixtures = fixtures
    }

    /// Checks the lens laws (docs/versioning.md), which the translations between the app's versions must obey, with
    /// generated records.
    ///
    /// - Parameters:
    ///   - cases: the number of records for each entity of each version. Without it, there are 3,000 records in all.
    ///   - seed: the seed of the generated records. A failure names it, so that it can be reproduced.
    /// - Throws: an error that lists the mistakes of a plan that does not compile; `AppTestFailure`.
    public func checkLaws(cases: Int? = nil, seed: UInt64 = AppTests.newSeed()) async throws {
        let report = await Laws.check(try Plan(declaration), cases: cases, seed: seed)
        if !report.isLawful { throw AppTestFailure("\(report)") }
    }

    /// Checks that the published versions have not been changed since their publication. The plan, the migration files
    /// and the golden records are compared with what was published.
    ///
    /// - Throws: `AppTestFailure` for a difference; an error that lists the mistakes of a plan that does not compile;
    ///   the error of a file that cannot be read.
    public func checkPublished() throws {
        let plan = try Plan(declaration)
        let publication = try Publication(
            migrations: migrations, plans: [plan], lines: lines(of: plan), fixtures: fixtures)
        let problems = publication.problems()
        if !problems.isEmpty { throw AppTestFailure(problems.map { "\($0)" }.joined(separator: "\n")) }
    }

    /// Checks every pair of the app's versions, on a temporary server: one version writes records, and the other must
    /// read them correctly. This is the check of `syncserver compat`.
    ///
    /// - Throws: `AppTestFailure` with the first request that shows each failure; an error that lists the mistakes of a
    ///   plan that does not compile; the error of the server's start.
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

    /// Checks that builds of the app, which are run as processes, get along with every version of the plan. This is the
    /// check of `syncserver compat --client`.
    ///
    /// - Parameters:
    ///   - commands: for each version, the shell command that starts a build of that version.
    ///     docs/testing-your-builds.md describes the lines that a build must read and write.
    ///   - seed: the seed of the generated records.
    /// - Throws: `AppTestFailure` with the first request that shows each failure, for a build that does not answer as
    ///   described, or for a version that the plan does not have. Also an error that lists the mistakes of a plan that
    ///   does not compile, or the error of the server's start.
    public func checkBuilds(_ commands: [String: String], seed: UInt64 = AppTests.newSeed()) async throws {
        let plan = try Plan(declaration)
        var clients: [Int: String] = [:]
        for (version, command) in commands { clients[try position(of: version, in: plan)] = command }
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

    private func position(of version: String, in plan: Plan) throws -> Int {
        if let position = ShapeName(version).flatMap({ plan.index(of: $0) }) { return position }
        let known = plan.schemas.map { "\($0.version)" }.joined(separator: ", ")
        throw AppTestFailure("\(plan.app) has no version ‘\(version)’; it has \(known).")
    }

    /// Checks that migrations change old rows in the same way as the plan's conversions change edits.
    ///
    /// For each version, two databases receive the same edits. One is filled while that version is the newest, and then
    /// migrated to the present plan. The other has the present plan from the start. Both must then contain the same.
    ///
    /// - Throws: `AppTestFailure` that names the versions and attributes that differ; an error that lists the mistakes
    ///   of a plan that does not compile; the error of a migration.
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

    /// The maximum number of differences that a failure lists. More would mostly show the same fault again.
    private static let differencesNamedMax = 12

    /// Runs the check of `syncserver compat --fleet`: devices of several versions sync together, while faults occur.
    ///
    /// - Parameters:
    ///   - devices: the number of devices of each version, such as `["1.0.0": 2, "2.0.0": 3]`.
    ///   - server: the path of the program that serves the app, such as `.build/debug/pantry`.
    ///   - steps: the number of steps (edits, requests and faults); a thousand take a few seconds.
    ///   - seed: the seed of the run. A failure names it, so that it can be reproduced.
    /// - Throws: `AppTestFailure` for a broken guarantee, or for a version that the plan does not have; an error that
    ///   lists the mistakes of a plan that does not compile.
    public func checkFleet(
        _ devices: [String: Int], server: String, steps: Int = 2_000, seed: UInt64 = AppTests.newSeed()
    ) async throws {
        let plan = try Plan(declaration)
        var fleet: [Int] = []
        for (version, count) in devices.sorted(by: { $0.key < $1.key }) {
            fleet += Array(repeating: try position(of: version, in: plan), count: max(0, count))
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
    /// - Parameter body: receives the connection string of the tables' owner, for libpq (manual, section 34.1.1).
    /// - Throws: an error that lists the mistakes of a plan that does not compile; the error of a migration; the error
    ///   of `body`.
    public func withDatabase<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        try await withTestDatabase(migrated: lines(of: try Plan(declaration))) { database in
            try await body(database.connectionString.textRevealingSecrets)
        }
    }

    /// Returns a random seed, from 1 on.
    public static func newSeed() -> UInt64 { .random(in: 1...UInt64(Int64.max)) }

    private func lines(of plan: Plan) throws -> [MigrationLine] {
        let lines = try MigrationLine.readAll(directory: migrations, apps: [plan.app])
        guard lines.contains(where: { $0.name == plan.app }) else {
            throw AppTestFailure("\(migrations) has no folder ‘\(plan.app)’ of migration files.")
        }
        return lines
    }

    /// Returns the path of the folder of the package to which `file` belongs; the file's own folder if there is no
    /// package.
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

/// A fault that a check of an app's plan has found, with a description for a person.
public struct AppTestFailure: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

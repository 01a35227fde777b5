import Foundation
package import PGMigrations
import Postgres
package import WireFormats

/// The published versions and migrations that the lock file in a folder of migrations lists. They are compared with the
/// current plans and files. New versions are published by adding them to the lock file.
package struct Publication {
    /// The path of the lock file.
    let path: String
    package let check: FrozenCheck
    private let folder: String

    /// The path of the folder of golden files, relative to the parent of the folder of migrations.
    static let fixturesPath = "Tests/CompatTests/fixtures"

    /// Reads the lock file in the folder of migrations. If there is none, nothing is published.
    ///
    /// - Throws: `FrozenProblem` if the lock file is invalid; `CommandError` if it cannot be read.
    package init(migrations: String, plans: [Plan], lines: [MigrationLine], fixtures: String? = nil) throws {
        path = "\(migrations)/\(SchemaLock.fileName)"
        var lock = SchemaLock()
        if FileManager.default.fileExists(atPath: path) {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CommandError("\(path) cannot be read.")
            }
            lock = try SchemaLock(parsing: text)
        }
        let parent = migrations.lastIndex(of: "/").map { String(migrations[...$0]) } ?? ""
        folder = fixtures ?? parent + Self.fixturesPath
        let isThere = fixtures != nil || FileManager.default.fileExists(atPath: folder)
        check = FrozenCheck(lock: lock, plans: plans, lines: lines, fixtures: isThere ? folder : nil)
    }

    /// Finds all differences from the published state. They include entries of the base branch's lock file that are
    /// missing or different in the current lock file.
    package func problems() -> [FrozenProblem] {
        var problems = check.problems()
        do throws(FrozenProblem) {
            for base in try TrunkLock.find(lock: path) {
                guard let index = check.lock.firstDeparture(from: base.lock) else { continue }
                problems.append(.rewritten(base.lock.entries[index], base: base.name))
                break
            }
        } catch {
            problems.append(error)
        }
        return problems
    }

    /// The folder in which golden files should be, if it does not exist although a version is published; otherwise
    /// `nil`.
    var missingFixtures: String? {
        let hasVersions = check.lock.entries.contains { entry in
            guard case .version(let app, _, _, _) = entry else { return false }
            return check.plans.contains { $0.app == app }
        }
        return check.fixtures == nil && hasVersions ? folder : nil
    }

    /// The names of the versions and migrations that are not published yet.
    package var unfrozen: [String] {
        check.plans.flatMap { plan in check.unfrozen(plan).map { "\(plan.app) \(plan.name(of: $0))" } }
            + check.unfrozenMigrations.map(\.path)
    }

    /// Checks that nothing published has changed, and that everything is published. If `unfrozen` is true, versions and
    /// migrations need not be published yet.
    ///
    /// - Throws: `CommandError` that lists the problems.
    package func admit(unfrozen isAllowed: Bool) throws(CommandError) {
        var problems = check.problems()
        if !isAllowed, !unfrozen.isEmpty { problems.append(.unfrozen(unfrozen)) }
        if problems.isEmpty { return }
        let list = problems.map { "  - \($0)" }.joined(separator: "\n")
        throw CommandError("What is published is not in order, so nothing is served:\n\(list)")
    }

    /// Publishes everything that is not published yet. The golden files are written before the lock file that lists
    /// them, so an interrupted run can be repeated.
    ///
    /// - Parameters:
    ///   - cases: the number of times to test the lens laws (the rules for conversions between versions) on each entity
    ///     of each version. Only plans with something new are tested.
    ///   - progress: called with an app, the number of pairs of an entity and a version that were tested, and the
    ///     number of all pairs.
    /// - Returns: the entries that were added to the lock file.
    /// - Throws: `CommandError` if a law is broken; `FrozenProblem`; errors of the file system.
    package func freeze(
        cases: Int, seed: UInt64, progress: (String, Int, Int) -> Void = { _, _, _ in }
    ) async throws -> [SchemaLock.Entry] {
        // Otherwise a lens that breaks a law would be found only when devices already use the version.
        for plan in check.plans where !check.unfrozen(plan).isEmpty {
            let laws = await Laws.check(plan, cases: cases, seed: seed) { progress(plan.app, $0, $1) }
            guard laws.isLawful else {
                throw CommandError("Nothing was frozen, because a law is broken:\n\(laws)")
            }
        }
        return try publish()
    }

    private func publish() throws -> [SchemaLock.Entry] {
        var lock = check.lock
        for file in check.unfrozenMigrations { lock.append(.migration(path: file.path, checksum: file.checksum)) }
        for plan in check.plans {
            for index in check.unfrozen(plan) {
                let shape = plan.shapes[index]
                let files = try FixtureFolder.contents(of: plan, index)
                lock.append(
                    .version(
                        app: plan.app, shape.version, fingerprint: shape.fingerprint,
                        fixtures: FixtureFolder.checksum(of: files)))
                try FixtureFolder(
                    folder, app: plan.app, version: shape.version,
                    fingerprint: lock.isFirst(lock.entries.count - 1) ? nil : shape.fingerprint
                ).write(files)
            }
        }
        let added = lock.entries[check.lock.entries.count...]
        if added.isEmpty { return [] }
        try Data(lock.text.utf8).write(to: URL(filePath: path), options: .atomic)
        return Array(added)
    }
}

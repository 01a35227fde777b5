import Foundation
import PGMigrations
import WireFormats

/// The checks by `doctor` of the apps that the program serves: the plans are valid, their tables exist, published
/// versions are unchanged, and the program that tests versions can be run.
struct AppNeeds {
    let options: Options

    func all() async -> [Need] {
        let (plans, needs) = plans()
        let lines = Result { try Environment.migrations(options, for: plans) }
        return needs + (plans.isEmpty ? [] : migrations(plans, lines)) + [compat, await database(lines)]
    }

    /// Returns the valid plans, and for every plan the result of checking that it is valid.
    private func plans() -> ([Plan], [Need]) {
        var (plans, needs): ([Plan], [Need]) = ([], [])
        for declaration in Environment.apps {
            do throws(PlanError) {
                let plan = try Plan(declaration)
                plans.append(plan)
                let newest = plan.schemas[plan.newest].version
                needs.append(.fine("Plan", "\(plan.app), \(plan.schemas.count) versions, the newest \(newest)"))
            } catch {
                let count = error.problems.count
                needs.append(
                    .missing(
                        "Plan", "\(error.app) has \(count) problem\(count == 1 ? "" : "s")",
                        "‘syncserver schema check --app \(error.app)’ lists them."))
            }
        }
        return (plans, needs)
    }

    private func migrations(_ plans: [Plan], _ lines: Result<[MigrationLine], any Error>) -> [Need] {
        let subject = "Migrations"
        do {
            let directory = try Environment.migrationsDirectory(options)
            let lines = try lines.get()
            let own = lines.filter { line in plans.contains { $0.app == line.name } }
            if let empty = own.first(where: \.files.isEmpty) {
                return [
                    .missing(
                        subject, "\(directory)/\(empty.name) has no files",
                        "‘syncserver schema sql VERSION --write --app \(empty.name)’ drafts them.")
                ]
            }
            let files = own.map { "\($0.files.count) of \($0.name)" }
            return [
                .fine(subject, "\(directory): \(files.joined(separator: ", "))"),
                published(plans, lines, in: directory),
            ]
        } catch {
            return [.missing(subject, Self.sentence(error), "")]
        }
    }

    private func published(_ plans: [Plan], _ lines: [MigrationLine], in directory: String) -> Need {
        let subject = "Published"
        do {
            let publication = try Publication(migrations: directory, plans: plans, lines: lines)
            let problems = publication.problems()
            if !problems.isEmpty {
                return .missing(
                    subject, "\(problems.count) of what is published is not as it was",
                    "‘syncserver schema check’ lists it.")
            }
            let open = publication.unfrozen.count
            if open > 0 {
                return .open(
                    subject, "\(open) versions and migrations may still change",
                    "‘syncserver schema freeze’ publishes them; a server on a database of yours serves nothing else.")
            }
            return .fine(subject, "\(publication.check.lock.entries.count) versions and migrations, as they were")
        } catch {
            return .missing(subject, Self.sentence(error), "‘syncserver schema check’ says more.")
        }
    }

    private var compat: Need {
        let program = CompatLauncher.program
        if FileManager.default.isExecutableFile(atPath: program) { return .fine("compat", program) }
        return .open("compat", "\(program) is not built", "‘swift build’ makes it.")
    }

    /// Checks the database given by `--database` or `DATABASE_URL`.
    private func database(_ lines: Result<[MigrationLine], any Error>) async -> Need {
        let subject = "Database"
        do {
            guard let string = try Environment.statedDatabase(options) else {
                return .open(
                    subject, "none is named, so commands start a private one in .syncserver",
                    "For one of yours: DATABASE_URL, or --database.")
            }
            let statuses = try await Migrator(string, lines: lines.get()).status()
            let pending = statuses.count { !$0.isApplied && $0.state != .future }
            if !statuses.allSatisfy(\.isServable) {
                return .missing(
                    subject, "\(pending) migrations are pending", "‘syncserver migrate up’, then ‘migrate doctor’.")
            }
            return .fine(subject, "\(string), migrated")
        } catch {
            return .missing(subject, Self.sentence(error), "")
        }
    }

    private static func sentence(_ error: any Error) -> String {
        SyncServerProgram.explanation(of: error).split(separator: "\n").joined(separator: " ")
    }
}

import Operations
import PGMigrations
import PGStore
import Postgres
import WireFormats

/// The mode `serve --through APP/VERSION`. It serves an app as if VERSION were still the newest, so that the next
/// migration can be tried while devices are connected.
struct ReleasePreview {
    /// The plan of the previewed app, without the versions after the previewed one.
    private let plan: Plan

    /// - Parameter text: an app and a version, such as `fitiq/0.0.7`.
    init(_ text: String, of plans: [Plan]) throws(UsageError) {
        let words = text.split(separator: "/")
        guard words.count == 2, let plan = plans.first(where: { $0.app == words[0] }),
            let version = Schema.Version(words[1]).flatMap({ plan.index(of: $0) })
        else { throw UsageError("‘--through’ takes an app and one of its versions, such as fitiq/0.0.7.") }
        self.plan = plan.cut(after: version)
    }

    func plans(_ plans: [Plan]) -> [Plan] {
        plans.map { $0.app == plan.app ? plan : $0 }
    }

    /// Returns the migration lines (the ordered migration files of the server and of each app), with a shorter line for
    /// the previewed app. If `migrating` is true, this line ends with the migration that makes the tables of the
    /// previewed version. Otherwise it ends with the last migration that was applied to the database.
    ///
    /// - Throws: `CommandError` if the tables are already newer than the previewed version, because migrations cannot
    ///   be undone.
    func lines(_ lines: [MigrationLine], _ database: ConnectionString, migrating: Bool) async throws -> [MigrationLine]
    {
        guard let line = lines.first(where: { $0.name == plan.app }) else { return lines }
        let applied = try await Migrator(database, lines: lines).status()
            .count { $0.isServable && $0.id.line == line.name && $0.id.number <= line.level }
        if !migrating { return try lines.cut(plan.app, after: applied) }
        if applied > 0, let surplus = try await differences(database).first(where: \.isSurplus) {
            throw CommandError(
                "This database is already beyond \(plan.app) \(newest): \(surplus). Nothing was changed. Rehearse "
                    + "on another, empty one, named with ‘--database’; ‘syncserver reset’ forgets the private one."
            )
        }
        var count = max(1, applied)
        while true {
            let held = try lines.cut(plan.app, after: count)
            try await Migrator(database, lines: held).up(contracts: .run)
            let differences = try await differences(database)
            if let surplus = differences.first(where: \.isSurplus) {
                throw CommandError(
                    "No migration ends where \(plan.app) \(newest) does: \(line.files[count - 1].path) also makes what "
                        + "later versions need (\(surplus)). Give each version a file of its own; where there are none "
                        + "yet, ‘syncserver schema sql VERSION --write --app \(plan.app)’ drafts them so.")
            }
            if differences.isEmpty || count == line.files.count { return held }
            count += 1
        }
    }

    private var newest: Schema.Version { plan.schemas[plan.newest].version }

    private func differences(_ database: ConnectionString) async throws -> [Agreement.Difference] {
        try await OwnerDatabase(database).withSession { session in try await differences(session) }
    }

    private func differences(_ session: isolated Session) throws -> [Agreement.Difference] {
        try Agreement.differences(of: plan.hub, session)
    }
}

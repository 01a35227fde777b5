import PGMigrations
import PGStore
import WireFormats

/// `serve --through APP/VERSION`: an app as it was served when one of its versions was the newest, so that its next
/// migration can be rehearsed with devices that are already at work.
struct Rehearsal {
    /// Cut after the version.
    private let plan: Plan

    /// - Parameter text: such as `fitiq/0.0.7`.
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

    /// The lines of migrations, the app's only as far as the database has it; or, where it is to be migrated, as far as
    /// the tables must be for the version.
    ///
    /// - Throws: `CommandError` where the tables are beyond the version: nothing leads back.
    func lines(_ lines: [MigrationLine], _ database: ConnectionString, migrating: Bool) async throws -> [MigrationLine]
    {
        guard let line = lines.first(where: { $0.name == plan.app }) else { return lines }
        let applied = try await Migrator(database, lines: lines).status()
            .count { $0.isServable && $0.id.line == line.name && $0.id.number <= line.level }
        var count = migrating ? max(1, applied) : applied
        while true {
            let beginning = try MigrationLine(name: line.name, files: Array(line.files.prefix(count)))
            let held = lines.map { $0.name == line.name ? beginning : $0 }
            if !migrating { return held }
            try await Migrator(database, lines: held).up(contracts: .run)
            let differences = try await differences(database)
            if let surplus = differences.first(where: \.isSurplus) {
                throw beyond(surplus, beginning, applied: applied)
            }
            if differences.isEmpty || count == line.files.count { return held }
            count += 1
        }
    }

    /// Why the tables cannot serve the version, and what can.
    private func beyond(
        _ surplus: Agreement.Difference, _ line: MigrationLine, applied: Int
    ) -> CommandError {
        let version = plan.schemas[plan.newest].version
        if applied >= line.files.count {
            return CommandError(
                "This database is already beyond \(plan.app) \(version): \(surplus). Nothing was changed. Rehearse "
                    + "on another, empty one, named with ‘--database’; the private one is forgotten with "
                    + "‘rm -r .syncserver’."
            )
        }
        return CommandError(
            "No migration ends where \(plan.app) \(version) does: \(line.files[line.files.count - 1].path) also makes "
                + "what later versions need (\(surplus)). Give each version a file of its own: "
                + "‘syncserver schema sql \(plan.schemas[0].version) \(version) --write --app \(plan.app)’ drafts them."
        )
    }

    private func differences(_ database: ConnectionString) async throws -> [Agreement.Difference] {
        let session = try await Session.open(database)
        let found: [Agreement.Difference]
        do {
            found = try await differences(session)
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        return found
    }

    private func differences(_ session: isolated Session) throws -> [Agreement.Difference] {
        try Agreement.differences(of: plan.hub, session)
    }
}

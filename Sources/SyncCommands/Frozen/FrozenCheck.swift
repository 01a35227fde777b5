package import PGMigrations
package import WireFormats

/// Compares the published versions and migrations with the current plans, SQL files and golden files. Anything that was
/// published must never change.
package struct FrozenCheck {
    let lock: SchemaLock
    let plans: [Plan]
    let lines: [MigrationLine]
    /// The folder of all golden files; `nil` if there is none, as with a server that is installed without sources.
    let fixtures: String?

    package init(lock: SchemaLock, plans: [Plan], lines: [MigrationLine], fixtures: String?) {
        self.lock = lock
        self.plans = plans
        self.lines = lines
        self.fixtures = fixtures
    }

    /// Finds all changes of published versions and migrations. Published apps that are not in `plans`, and migration
    /// lines that are not in `lines`, are skipped.
    package func problems() -> [FrozenProblem] {
        lock.entries.indices.flatMap { line in
            switch lock.entries[line] {
            case .version(let app, _, _, _):
                plans.first { $0.app == app }.map { problems($0, line) } ?? []
            case .migration(let path, let checksum): problems(path, checksum)
            }
        } + plans.flatMap(lateVersions)
    }

    /// Returns the schemas of the plan that the lock file does not contain yet, as indices in the plan's `shapes`, in
    /// the order in which they are to be published.
    package func unfrozen(_ plan: Plan) -> [Int] {
        let frozen = frozen(plan.app)
        return plan.growth.filter { position in
            let shape = plan.shapes[position]
            return !frozen.contains { $0.version == shape.version && $0.fingerprint == shape.fingerprint }
        }
    }

    /// The SQL files that the lock file does not contain yet in their current form.
    package var unfrozenMigrations: [MigrationFile] {
        lines.filter { !$0.isOfLibrary }.flatMap(\.files).filter {
            !lock.entries.contains(.migration(path: $0.path, checksum: $0.checksum))
        }
    }

    private func frozen(_ app: String) -> [(version: Schema.Version, fingerprint: String)] {
        lock.entries.compactMap { entry in
            guard case .version(app, let version, let fingerprint, _) = entry else { return nil }
            return (version, fingerprint)
        }
    }

    private func problems(_ plan: Plan, _ line: Int) -> [FrozenProblem] {
        guard case .version(_, let version, let fingerprint, let checksum) = lock.entries[line] else { return [] }
        let subject = lock.entries[line].subject
        let folder = fixtures.map {
            FixtureFolder(
                $0, app: plan.app, version: version,
                fingerprint: lock.isFirst(line) ? nil : fingerprint)
        }
        let position = plan.shapes.firstIndex { $0.version == version && $0.fingerprint == fingerprint }
        guard let position else {
            let edited = unfrozen(plan).map { plan.shapes[$0] }.first { $0.version == version }
            return [
                edited.map { shape in
                    .edited(subject, folder?.schema.map { $0.changes(in: shape) } ?? [])
                } ?? .removed(subject)
            ]
        }
        return order(plan, position, line) + (folder?.problems(plan, position, checksum: checksum) ?? [])
    }

    /// Checks that the plan has its schemas in the order in which they were published. Each schema adds its columns to
    /// the tables, so a schema at another position would move the columns of stored rows.
    ///
    /// - Parameters:
    ///   - position: the schema, as an index in the plan's `shapes`.
    ///   - line: the line that publishes the schema, as an index in the lock file's entries.
    private func order(_ plan: Plan, _ position: Int, _ line: Int) -> [FrozenProblem] {
        let published = lock.entries[..<line].compactMap { entry -> Int? in
            guard case .version(plan.app, let version, let fingerprint, _) = entry else { return nil }
            return plan.shapes.firstIndex { $0.version == version && $0.fingerprint == fingerprint }
        }
        let growth = plan.growth
        guard let rank = growth.firstIndex(of: position),
            published.contains(where: { other in growth.firstIndex(of: other).map { $0 > rank } ?? false })
        else { return [] }
        return [.reordered(lock.entries[line].subject)]
    }

    private func problems(_ path: String, _ checksum: String) -> [FrozenProblem] {
        let name = path.prefix { $0 != "/" }
        guard let line = lines.first(where: { $0.name == name }) else { return [] }
        guard let file = line.files.first(where: { $0.path == path }) else { return [.missingMigration(path)] }
        return file.checksum == checksum || file.accepted.contains(checksum) ? [] : [.editedMigration(path)]
    }

    /// Finds versions that are not published although a newer one is. Versions must be published in their order: a
    /// device may already have updated to the newer version without the older one.
    private func lateVersions(_ plan: Plan) -> [FrozenProblem] {
        let frozen = Set(frozen(plan.app).map(\.version))
        guard let newest = frozen.max() else { return [] }
        return plan.schemas.map(\.version).filter { $0 < newest && !frozen.contains($0) }.map {
            .late("\(plan.app) \($0)", after: newest)
        }
    }
}
